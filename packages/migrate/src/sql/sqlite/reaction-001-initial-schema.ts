import type { Migration } from "../../migration.ts";

/**
 * Event and command executions, alerts, operators' actions, log entries and analytics. Times are milliseconds since the
 * epoch: the same in every home, and JavaScript's own.
 */
export const reactionInitialSchema: Migration = {
  version: 1,
  name: "initial schema",
  upSql: `
create table river_reaction_event (
  id text primary key,
  type text not null,
  idempotency_key text not null,
  version integer not null,
  payload text,
  payload_hash text not null,
  status text not null,
  open_commands integer not null,
  review_commands integer not null default 0,
  failed_commands integer not null default 0,
  sweeps integer not null default 0,
  next_sweep_at integer,
  occurred_at integer not null,
  created_at integer not null,
  finished_at integer,
  constraint river_reaction_event_identity unique (idempotency_key, type),
  constraint river_reaction_event_status
    check (status in ('pending', 'undispatched', 'dispatched', 'completed', 'failed')),
  constraint river_reaction_event_counts
    check (open_commands >= 0 and review_commands >= 0 and failed_commands >= 0)
) strict;

create index river_reaction_event_sweep on river_reaction_event (next_sweep_at) where next_sweep_at is not null;
create index river_reaction_event_created on river_reaction_event (created_at, id);
create index river_reaction_event_finished on river_reaction_event (finished_at)
  where finished_at is not null and payload is null;
create index river_reaction_event_content on river_reaction_event (finished_at)
  where finished_at is not null and payload is not null;

create table river_reaction_command (
  id text primary key,
  event_id text not null,
  position integer not null,
  name text not null,
  mode text not null,
  after_command text,
  max_attempts integer not null,
  input text,
  status text not null,
  attempt integer not null default 0,
  retry_at integer,
  lease_owner text,
  lease_expires_at integer,
  leased_at integer,
  result text,
  result_dropped integer not null default 0,
  error text,
  attempts text not null default '[]',
  created_at integer not null,
  finished_at integer,
  constraint river_reaction_command_order unique (event_id, position),
  constraint river_reaction_command_mode check (mode in ('sync', 'async')),
  constraint river_reaction_command_status
    check (status in ('pending', 'running', 'retryable', 'succeeded', 'failed', 'skipped', 'needs_review')),
  constraint river_reaction_command_lease check ((status = 'running') = (lease_owner is not null))
) strict;

create index river_reaction_command_created on river_reaction_command (created_at, id);
create index river_reaction_command_unfinished on river_reaction_command (status, created_at)
  where status in ('failed', 'needs_review', 'retryable', 'running');

create table river_reaction_alert (
  id text primary key,
  raised_at integer not null,
  severity text not null,
  code text not null,
  message text not null,
  event_id text,
  command_id text,
  queue text,
  message_id text,
  constraint river_reaction_alert_severity check (severity in ('high', 'warning'))
) strict;

create index river_reaction_alert_raised on river_reaction_alert (raised_at, id);
create index river_reaction_alert_event on river_reaction_alert (event_id) where event_id is not null;

create table river_reaction_action (
  id text primary key,
  taken_at integer not null,
  actor text not null,
  action text not null,
  event_id text not null,
  command_id text
) strict;

create index river_reaction_action_event on river_reaction_action (event_id);

create table river_reaction_key_value (
  key text primary key,
  value text not null,
  expires_at integer
) strict;

create index river_reaction_key_value_expires on river_reaction_key_value (expires_at) where expires_at is not null;

create table river_reaction_analytics_event (
  id text primary key,
  occurred_at integer not null,
  day text not null,
  name text not null,
  path text,
  referrer text,
  visitor text
) strict;

create index river_reaction_analytics_event_day on river_reaction_analytics_event (day, name);

create table river_reaction_analytics_salt (
  day text primary key,
  salt text not null,
  created_at integer not null
) strict;
`.trim(),
  downSql: `
drop table river_reaction_analytics_salt;
drop table river_reaction_analytics_event;
drop table river_reaction_key_value;
drop table river_reaction_action;
drop table river_reaction_alert;
drop table river_reaction_command;
drop table river_reaction_event;
`.trim(),
};
