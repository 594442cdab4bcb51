/** Fragments that statements on `river_job` share. Columns are always named: their order differs between schema versions. */

/**
 * Reads a JSON column as minified text. A value that is no JSON comes back as a blob instead of failing the statement,
 * so that one damaged row does not cost its neighbours.
 */
export function readableJson(column: string): string {
  return `CASE WHEN json_valid(${column}, 10) THEN json(${column}) ELSE CAST(${column} AS BLOB) END`;
}

/** Every column of a job, in the order that `SqliteJobRecord` reads. */
export const JOB_COLUMNS: string = [
  "id, kind, queue, state, priority, attempt, max_attempts",
  readableJson("args"),
  readableJson("metadata"),
  readableJson("errors"),
  readableJson("tags"),
  readableJson("attempted_by"),
  "created_at, scheduled_at, attempted_at, finalized_at, unique_key, unique_states",
].join(", ");

/**
 * The row occupies its unique key. Term for term the predicate of `river_job_unique_idx`: only then does SQLite use
 * that index, and there is no other on `unique_key`.
 */
export const HOLDS_UNIQUE_KEY: string = `unique_key IS NOT NULL
  AND unique_states IS NOT NULL
  AND CASE state
    WHEN 'available' THEN unique_states & (1 << 0)
    WHEN 'cancelled' THEN unique_states & (1 << 1)
    WHEN 'completed' THEN unique_states & (1 << 2)
    WHEN 'discarded' THEN unique_states & (1 << 3)
    WHEN 'pending' THEN unique_states & (1 << 4)
    WHEN 'retryable' THEN unique_states & (1 << 5)
    WHEN 'running' THEN unique_states & (1 << 6)
    WHEN 'scheduled' THEN unique_states & (1 << 7)
    ELSE 0
  END >= 1`;

/** The client of the latest claim; null when there was none or the column cannot be read. */
export const LAST_CLIENT: string = `CASE WHEN json_valid(attempted_by, 10) THEN attempted_by ->> '$[#-1]' END`;

/** 1 when metadata carries a cancel mark, whatever its value. */
export const HAS_CANCEL_MARK =
  "CASE WHEN json_valid(metadata, 10) THEN json_type(metadata, '$.cancel_attempted_at') IS NOT NULL ELSE 0 END";

/** Metadata without a cancel mark; metadata that cannot be read stays as it is. */
export const UNMARKED_METADATA =
  "CASE WHEN json_valid(metadata, 10) THEN jsonb_remove(metadata, '$.cancel_attempted_at') ELSE metadata END";

/** Metadata with the cancel mark `mark`; metadata that is no object stays as it is. */
export function markedMetadata(mark: string): string {
  return `CASE WHEN json_valid(metadata, 10) AND json_type(metadata) = 'object'
    THEN jsonb_set(metadata, '$.cancel_attempted_at', ${mark}) ELSE metadata END`;
}

/**
 * `errors` with one entry more. A value that somebody damaged is kept as the first entry of a new array.
 *
 * @param entry - placeholder of JSON text of the entry.
 */
export function appendedErrors(entry: string): string {
  return `CASE
    WHEN errors IS NULL THEN jsonb_array(jsonb(${entry}))
    WHEN NOT json_valid(errors, 10)
      THEN jsonb_array(CASE typeof(errors) WHEN 'blob' THEN hex(errors) ELSE CAST(errors AS TEXT) END, jsonb(${entry}))
    WHEN json_type(errors) <> 'array' THEN jsonb_array(jsonb(errors), jsonb(${entry}))
    ELSE jsonb_insert(errors, '$[#]', jsonb(${entry}))
  END`;
}
