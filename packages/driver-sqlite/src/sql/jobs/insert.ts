/**
 * Inserts jobs whose unique keys are known to be free.
 *
 * - Parameters: 1 JSON array with one array a job (args text, kind, max attempts, metadata text, priority, queue, state,
 *   scheduled time or null, tags text, unique key in hexadecimal or null, mask or null), 2 now.
 * - Result: the new ID of each row. IDs ascend in the order of the array.
 * - Locks: the write lock.
 * - Index: none.
 * - Cost: `jsonb_each` hands each job over in binary; `json_each` would have its text parsed once a column, which makes
 *   the whole statement half as dear again.
 * - Differs because SQLite has no arrays: one JSON parameter carries the whole batch. Args and metadata travel as
 *   strings inside it, so that the depth limit of JSON counts from their own root.
 */
export const INSERT: string = `INSERT INTO river_job (
    args, kind, max_attempts, metadata, priority, queue, state, created_at, scheduled_at, tags, unique_key, unique_states
  )
  SELECT
    jsonb(value ->> 0), value ->> 1, value ->> 2, jsonb(value ->> 3), value ->> 4, value ->> 5, value ->> 6,
    ?2, coalesce(value ->> 7, ?2), jsonb(value ->> 8), unhex(value ->> 9), value ->> 10
  FROM jsonb_each(?1)
  RETURNING id`;

/** The same for one job, each value bound by itself in the order above; 12 is now. */
export const INSERT_ONE: string = `INSERT INTO river_job (
    args, kind, max_attempts, metadata, priority, queue, state, created_at, scheduled_at, tags, unique_key, unique_states
  )
  VALUES (jsonb(?1), ?2, ?3, jsonb(?4), ?5, ?6, ?7, ?12, coalesce(?8, ?12), jsonb(?9), unhex(?10), ?11)
  RETURNING id`;
