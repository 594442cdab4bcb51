import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";
import { createInsertTrigger, dropInsertTrigger } from "./insert-trigger.ts";

/**
 * The state `pending`, arguments and metadata that are never null, the queue registry, and one possible name for a
 * lease. Going down leaves `pending` in the type, from which Postgres cannot take a value away.
 */
export const pendingAndMore: Migration = {
  version: 4,
  name: "pending and more",
  upSql: `
update ${SCHEMA}river_job set args = '{}' where args is null;
update ${SCHEMA}river_job set metadata = '{}' where metadata is null;

alter type ${SCHEMA}river_job_state add value if not exists 'pending' after 'discarded';

alter table ${SCHEMA}river_job
  alter column args set not null,
  alter column metadata set default '{}',
  alter column metadata set not null,
  drop constraint finalized_or_finalized_at_null,
  add constraint finalized_or_finalized_at_null check (
    (finalized_at is null and state not in ('cancelled', 'completed', 'discarded'))
    or (finalized_at is not null and state in ('cancelled', 'completed', 'discarded'))
  );

${dropInsertTrigger}

create table ${SCHEMA}river_queue (
  name text primary key not null,
  created_at timestamptz not null default now(),
  metadata jsonb not null default '{}',
  paused_at timestamptz,
  updated_at timestamptz not null
);

alter table ${SCHEMA}river_leader
  alter column name set default 'default',
  drop constraint name_length,
  add constraint name_length check (name = 'default');
`.trim(),
  downSql: `
alter table ${SCHEMA}river_job
  alter column args drop not null,
  alter column metadata drop not null,
  alter column metadata drop default,
  drop constraint finalized_or_finalized_at_null,
  add constraint finalized_or_finalized_at_null check (
    (state in ('cancelled', 'completed', 'discarded') and finalized_at is not null) or finalized_at is null
  );

${createInsertTrigger}

drop table ${SCHEMA}river_queue;

alter table ${SCHEMA}river_leader
  alter column name drop default,
  drop constraint name_length,
  add constraint name_length check (char_length(name) > 0 and char_length(name) < 128);
`.trim(),
};
