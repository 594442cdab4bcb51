/** Two tables that versions 5 and 6 have and nothing ever wrote to. */
import { SCHEMA } from "../../schema-template.ts";

/** Statements that create both. */
export const createRiverClientTables: string = `
create unlogged table ${SCHEMA}river_client (
  id text primary key not null,
  created_at timestamptz not null default now(),
  metadata jsonb not null default '{}',
  paused_at timestamptz,
  updated_at timestamptz not null,
  constraint name_length check (char_length(id) > 0 and char_length(id) < 128)
);

create unlogged table ${SCHEMA}river_client_queue (
  river_client_id text not null references ${SCHEMA}river_client (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  max_workers bigint not null default 0,
  metadata jsonb not null default '{}',
  num_jobs_completed bigint not null default 0,
  num_jobs_running bigint not null default 0,
  updated_at timestamptz not null,
  primary key (river_client_id, name),
  constraint name_length check (char_length(name) > 0 and char_length(name) < 128),
  constraint num_jobs_completed_zero_or_positive check (num_jobs_completed >= 0),
  constraint num_jobs_running_zero_or_positive check (num_jobs_running >= 0)
);
`.trim();

/** Statements that drop both. */
export const dropRiverClientTables: string = `
drop table ${SCHEMA}river_client_queue;
drop table ${SCHEMA}river_client;
`.trim();
