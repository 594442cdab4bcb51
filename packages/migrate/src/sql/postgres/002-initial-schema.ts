import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";
import { createInsertTrigger } from "./insert-trigger.ts";

const createTables = `
create type ${SCHEMA}river_job_state as enum (
  'available', 'cancelled', 'completed', 'discarded', 'retryable', 'running', 'scheduled'
);

create table ${SCHEMA}river_job (
  id bigserial primary key,
  state ${SCHEMA}river_job_state not null default 'available',
  attempt smallint not null default 0,
  max_attempts smallint not null,
  attempted_at timestamptz,
  created_at timestamptz not null default now(),
  finalized_at timestamptz,
  scheduled_at timestamptz not null default now(),
  priority smallint not null default 1,
  args jsonb,
  attempted_by text[],
  errors jsonb[],
  kind text not null,
  metadata jsonb not null default '{}',
  queue text not null default 'default',
  tags varchar(255)[],
  constraint finalized_or_finalized_at_null check (
    (state in ('cancelled', 'completed', 'discarded') and finalized_at is not null) or finalized_at is null
  ),
  constraint max_attempts_is_positive check (max_attempts > 0),
  constraint priority_in_range check (priority >= 1 and priority <= 4),
  constraint queue_length check (char_length(queue) > 0 and char_length(queue) < 128),
  constraint kind_length check (char_length(kind) > 0 and char_length(kind) < 128)
);

create unlogged table ${SCHEMA}river_leader (
  elected_at timestamptz not null,
  expires_at timestamptz not null,
  leader_id text not null,
  name text primary key,
  constraint name_length check (char_length(name) > 0 and char_length(name) < 128),
  constraint leader_id_length check (char_length(leader_id) > 0 and char_length(leader_id) < 128)
);
`.trim();

const createIndexes = `
create index river_job_kind on ${SCHEMA}river_job (kind);

create index river_job_state_and_finalized_at_index on ${SCHEMA}river_job (state, finalized_at)
where finalized_at is not null;

create index river_job_prioritized_fetching_index on ${SCHEMA}river_job (state, queue, priority, scheduled_at, id);
`.trim();

const createGinIndexes = `
create index river_job_args_index on ${SCHEMA}river_job using gin (args);

create index river_job_metadata_index on ${SCHEMA}river_job using gin (metadata);
`.trim();

/** Jobs and the leader's lease. Without the two GIN indexes inserts are cheaper and searching inside JSON is slower. */
export function initialSchema({ ginIndexes }: { readonly ginIndexes: boolean }): Migration {
  const parts = [createTables, createIndexes, ...(ginIndexes ? [createGinIndexes] : []), createInsertTrigger];
  return {
    version: 2,
    name: "initial schema",
    upSql: parts.join("\n\n"),
    downSql: `
drop table ${SCHEMA}river_job;
drop function ${SCHEMA}river_job_notify();
drop type ${SCHEMA}river_job_state;
drop table ${SCHEMA}river_leader;
`.trim(),
  };
}
