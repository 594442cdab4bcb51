import type { Migration } from "../../migration.ts";

/** Clients that run, what was done in each minute, and what happened to clients and queues. */
export const fleetTables: Migration = {
  version: 1,
  name: "fleet tables",
  upSql: `
create table river_fleet_client (
  client_id text primary key not null,
  host text not null,
  process_id integer not null,
  version text,
  runtime text not null,
  state text not null,
  queues blob not null default (jsonb('{}')),
  running integer not null default 0,
  loop_delay_max_ms real,
  loop_delay_mean_ms real,
  loop_delay_p99_ms real,
  executors blob not null default (jsonb('{}')),
  started_at timestamp not null,
  seen_at timestamp not null default (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  constraint client_id_length check (length(client_id) > 0 and length(client_id) < 128),
  constraint running_zero_or_positive check (running >= 0)
);

create table river_fleet_minute (
  minute timestamp not null,
  queue text not null,
  kind text not null,
  inserted integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  latency_10ms integer not null default 0,
  latency_50ms integer not null default 0,
  latency_100ms integer not null default 0,
  latency_500ms integer not null default 0,
  latency_1s integer not null default 0,
  latency_5s integer not null default 0,
  latency_15s integer not null default 0,
  latency_1m integer not null default 0,
  latency_5m integer not null default 0,
  latency_1h integer not null default 0,
  latency_more integer not null default 0,
  primary key (minute, queue, kind)
);

create table river_fleet_audit (
  id integer primary key not null,
  created_at timestamp not null default (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  client_id text,
  actor text,
  action text not null,
  subject text,
  details blob not null default (jsonb('{}')),
  constraint action_length check (length(action) > 0 and length(action) < 128)
);

create index river_fleet_audit_created_at_index on river_fleet_audit (created_at);

create view river_fleet_queue_latency as
with bucket (position, upper_ms) as (
  values (0, 10), (1, 50), (2, 100), (3, 500), (4, 1000), (5, 5000), (6, 15000), (7, 60000), (8, 300000),
    (9, 3600000), (10, null)
), counted as (
  select stored.queue, bucket.position, bucket.upper_ms, sum(counts.value) as jobs
  from river_fleet_minute as stored
  join json_each(json_array(
    latency_10ms, latency_50ms, latency_100ms, latency_500ms, latency_1s, latency_5s, latency_15s, latency_1m, latency_5m,
    latency_1h, latency_more
  )) as counts
  join bucket on bucket.position = counts.key
  where stored.minute >= strftime('%Y-%m-%d %H:%M:00.000', 'now', '-15 minutes')
  group by stored.queue, bucket.position
), ranked as (
  select queue, upper_ms,
    sum(jobs) over (partition by queue) as started,
    sum(jobs) over (partition by queue order by position) as reached
  from counted
)
select queue,
  max(started) as started,
  min(upper_ms) filter (where reached >= 0.5 * started) as p50_ms,
  min(upper_ms) filter (where reached >= 0.95 * started) as p95_ms,
  min(upper_ms) filter (where reached >= 0.99 * started) as p99_ms
from ranked
where started > 0
group by queue;
`.trim(),
  downSql: `
drop view river_fleet_queue_latency;
drop table river_fleet_audit;
drop table river_fleet_minute;
drop table river_fleet_client;
`.trim(),
};
