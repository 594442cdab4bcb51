import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";

/** Clients that run, what was done in each minute, and what happened to clients and queues. */
export const fleetTables: Migration = {
  version: 1,
  name: "fleet tables",
  upSql: `
create table ${SCHEMA}river_fleet_client (
  client_id text primary key not null,
  host text not null,
  process_id integer not null,
  version text,
  runtime text not null,
  state text not null,
  queues jsonb not null default '{}',
  running integer not null default 0,
  loop_delay_max_ms double precision,
  loop_delay_mean_ms double precision,
  loop_delay_p99_ms double precision,
  executors jsonb not null default '{}',
  started_at timestamptz not null,
  seen_at timestamptz not null default now(),
  constraint client_id_length check (char_length(client_id) > 0 and char_length(client_id) < 128),
  constraint running_zero_or_positive check (running >= 0)
);

create table ${SCHEMA}river_fleet_minute (
  minute timestamptz not null,
  queue text not null,
  kind text not null,
  inserted bigint not null default 0,
  completed bigint not null default 0,
  failed bigint not null default 0,
  latency_10ms bigint not null default 0,
  latency_50ms bigint not null default 0,
  latency_100ms bigint not null default 0,
  latency_500ms bigint not null default 0,
  latency_1s bigint not null default 0,
  latency_5s bigint not null default 0,
  latency_15s bigint not null default 0,
  latency_1m bigint not null default 0,
  latency_5m bigint not null default 0,
  latency_1h bigint not null default 0,
  latency_more bigint not null default 0,
  primary key (minute, queue, kind)
);

create table ${SCHEMA}river_fleet_audit (
  id bigserial primary key,
  created_at timestamptz not null default now(),
  client_id text,
  actor text,
  action text not null,
  subject text,
  details jsonb not null default '{}',
  constraint action_length check (char_length(action) > 0 and char_length(action) < 128)
);

create index river_fleet_audit_created_at_index on ${SCHEMA}river_fleet_audit (created_at);

create view ${SCHEMA}river_fleet_queue_latency as
with counted as (
  select stored.queue, bucket.upper_ms, sum(bucket.jobs) as jobs
  from ${SCHEMA}river_fleet_minute as stored
  cross join lateral (values
    (10, latency_10ms), (50, latency_50ms), (100, latency_100ms), (500, latency_500ms), (1000, latency_1s),
    (5000, latency_5s), (15000, latency_15s), (60000, latency_1m), (300000, latency_5m), (3600000, latency_1h),
    (null, latency_more)
  ) as bucket (upper_ms, jobs)
  where stored.minute >= date_trunc('minute', now()) - interval '15 minutes'
  group by stored.queue, bucket.upper_ms
), ranked as (
  select queue, upper_ms,
    sum(jobs) over (partition by queue) as started,
    sum(jobs) over (partition by queue order by upper_ms nulls last) as reached
  from counted
)
select queue,
  max(started)::bigint as started,
  min(upper_ms) filter (where reached >= 0.5 * started) as p50_ms,
  min(upper_ms) filter (where reached >= 0.95 * started) as p95_ms,
  min(upper_ms) filter (where reached >= 0.99 * started) as p99_ms
from ranked
where started > 0
group by queue;
`.trim(),
  downSql: `
drop view ${SCHEMA}river_fleet_queue_latency;
drop table ${SCHEMA}river_fleet_audit;
drop table ${SCHEMA}river_fleet_minute;
drop table ${SCHEMA}river_fleet_client;
`.trim(),
};
