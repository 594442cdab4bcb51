/**
 * The job table in its four shapes, and how one is put in the place of another. SQLite cannot change a column in place:
 * a changed table is made anew beside the old one, filled, and takes over the name. In this order (and with foreign
 * keys off, see `transaction.ts`) views, triggers and foreign keys of the application go on naming `river_job`.
 */

/** A shape of the job table. */
export interface RiverJobShape {
  /** Function that makes default JSON: as text, or in SQLite's binary form. */
  readonly json: "json" | "jsonb";
  /** Whether the ID of a deleted newest job stays unused. */
  readonly autoincrement: boolean;
  /** Whether `max_attempts` stands after `kind` or behind all other columns. */
  readonly maxAttempts: "after kind" | "last";
}

/** Version 6. */
export const TEXT_JOBS: RiverJobShape = { json: "json", autoincrement: false, maxAttempts: "after kind" };
/** Version 7, reached from version 6. */
export const BINARY_JOBS: RiverJobShape = { json: "jsonb", autoincrement: false, maxAttempts: "last" };
/** Version 7, reached from version 8. */
export const BINARY_JOBS_AGAIN: RiverJobShape = { json: "jsonb", autoincrement: false, maxAttempts: "after kind" };
/** Version 8. */
export const NUMBERED_JOBS: RiverJobShape = { json: "jsonb", autoincrement: true, maxAttempts: "after kind" };

/** Creates the table, without indexes. */
export function createRiverJob(name: string, { json, autoincrement, maxAttempts }: RiverJobShape): string {
  const maxAttemptsColumn =
    json === "json" ? "max_attempts integer not null" : "max_attempts integer not null default 25";
  const argsDefault = json === "json" ? "'{}'" : "(jsonb('{}'))";
  return `
create table ${name} (
  id integer primary key${autoincrement ? " autoincrement" : ""},
  args blob not null default ${argsDefault},
  attempt integer not null default 0,
  attempted_at timestamp,
  attempted_by blob,
  created_at timestamp not null default current_timestamp,
  errors blob,
  finalized_at timestamp,
  kind text not null,${maxAttempts === "after kind" ? `\n  ${maxAttemptsColumn},` : ""}
  metadata blob not null default (${json}('{}')),
  priority integer not null default 1,
  queue text not null default 'default',
  state text not null default 'available',
  scheduled_at timestamp not null default current_timestamp,
  tags blob not null default (${json}('[]')),
  unique_key blob,
  unique_states integer,${maxAttempts === "last" ? `\n  ${maxAttemptsColumn},` : ""}
  constraint finalized_or_finalized_at_null check (
    (finalized_at is null and state not in ('cancelled', 'completed', 'discarded'))
    or (finalized_at is not null and state in ('cancelled', 'completed', 'discarded'))
  ),
  constraint priority_in_range check (priority >= 1 and priority <= 4),
  constraint queue_length check (length(queue) > 0 and length(queue) < 128),
  constraint kind_length check (length(kind) > 0 and length(kind) < 128),
  constraint state_valid check (
    state in ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled')
  )
);
`.trim();
}

/**
 * Creates the indexes of `river_job`. SQLite compares the predicate of the unique one with that of an upsert term by
 * term, so clients of every language depend on its order.
 */
export const createRiverJobIndexes: string = `
create index river_job_kind on river_job (kind);

create index river_job_state_and_finalized_at_index on river_job (state, finalized_at)
where finalized_at is not null;

create index river_job_prioritized_fetching_index on river_job (state, queue, priority, scheduled_at, id);

create unique index river_job_unique_idx on river_job (unique_key)
where unique_key is not null
  and unique_states is not null
  and case state
    when 'available' then unique_states & (1 << 0)
    when 'cancelled' then unique_states & (1 << 1)
    when 'completed' then unique_states & (1 << 2)
    when 'discarded' then unique_states & (1 << 3)
    when 'pending' then unique_states & (1 << 4)
    when 'retryable' then unique_states & (1 << 5)
    when 'running' then unique_states & (1 << 6)
    when 'scheduled' then unique_states & (1 << 7)
    else 0
  end >= 1;
`.trim();

/** Puts a table of the given shape in the place of the present one, with every row; JSON is converted if asked for. */
export function rebuildRiverJob(shape: RiverJobShape, conversion: "json" | "jsonb" | null): string {
  const as = (column: string): string => (conversion === null ? column : `${conversion}(${column})`);
  return `
${createRiverJob("river_job_rebuilt", shape)}

insert into river_job_rebuilt (
  id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata,
  priority, queue, state, scheduled_at, tags, unique_key, unique_states
)
select
  id, ${as("args")}, attempt, attempted_at, ${as("attempted_by")}, created_at, ${as("errors")}, finalized_at, kind, max_attempts, ${as("metadata")},
  priority, queue, state, scheduled_at, ${as("tags")}, unique_key, unique_states
from river_job
order by id;

drop table river_job;
alter table river_job_rebuilt rename to river_job;

${createRiverJobIndexes}
`.trim();
}
