/** Fragments that statements on `river_job` share. Columns are always named and qualified by `job`. */
import { ATTEMPTED_BY_LIMIT } from "riverqueue/driver";
import { readable, type Dialect } from "../../connection/dialect.ts";

const AS_THEY_ARE = [
  "id",
  "kind",
  "queue",
  "state",
  "priority",
  "attempt",
  "max_attempts",
  "args",
  "metadata",
  "errors",
  "tags",
  "attempted_by",
  "created_at",
  "scheduled_at",
  "attempted_at",
  "finalized_at",
] as const;

/** Every column of a job, in the order that `PgJobRecord` reads. The key in hexadecimal: `bytea_output` may be anything. */
export function jobColumns(d: Dialect, row = "job"): string {
  return [
    ...AS_THEY_ARE.map((column) => readable(d, `${row}.${column}`, column)),
    readable(d, `encode(${row}.unique_key, 'hex')`, "unique_key"),
    readable(d, `${row}.unique_states`, "unique_states"),
  ].join(", ");
}

/** The row occupies its unique key: the predicate of `river_job_unique_idx`. Without `row` its columns are unqualified. */
export function holdsUniqueKey({ prefix }: Dialect, row?: string): string {
  const of = row === undefined ? "" : `${row}.`;
  return `${of}unique_key IS NOT NULL AND ${of}unique_states IS NOT NULL
    AND ${prefix}river_job_state_in_bitmask(${of}unique_states, ${of}state)`;
}

/** The client of the latest claim. */
export function lastClient(row: string): string {
  return `${row}.attempted_by[array_upper(${row}.attempted_by, 1)]`;
}

/** `attempted_by` with one client more; a full list loses its oldest entries, one of another shape starts again. */
export function appendedClient(row: string, placeholder: string): string {
  const kept = `${row}.attempted_by[array_upper(${row}.attempted_by, 1) - ${ATTEMPTED_BY_LIMIT - 2}:]`;
  return `CASE
      WHEN array_ndims(${row}.attempted_by) > 1 THEN ARRAY[${placeholder}::text]
      WHEN cardinality(${row}.attempted_by) >= ${ATTEMPTED_BY_LIMIT} THEN array_append(${kept}, ${placeholder}::text)
      ELSE array_append(${row}.attempted_by, ${placeholder}::text)
    END`;
}

/** `errors` with one entry more; a value of another shape is kept as the first entry of a new array. */
export function appendedErrors(row: string, entry: string): string {
  return `CASE
      WHEN array_ndims(${row}.errors) > 1 THEN ARRAY[to_jsonb(${row}.errors), ${entry}]
      ELSE array_append(${row}.errors, ${entry})
    END`;
}

/** Metadata with the keys of `updates` in place of its own; what is no object stays as it is. */
export function mergedMetadata(row: string, updates: string): string {
  return `CASE WHEN jsonb_typeof(${row}.metadata) = 'object' THEN ${row}.metadata || ${updates} ELSE ${row}.metadata END`;
}

/** The row carries a cancel mark, whatever its value. */
export function hasCancelMark(row: string): string {
  return `(jsonb_typeof(${row}.metadata) = 'object' AND jsonb_exists(${row}.metadata, 'cancel_attempted_at'))`;
}

/** The call's clock, or the database's. */
export function timeNow(placeholder: string): string {
  return `coalesce(${placeholder}::timestamptz, now())`;
}
