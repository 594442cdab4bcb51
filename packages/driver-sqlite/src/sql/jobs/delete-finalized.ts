/**
 * Deletes old finalized rows, lowest IDs first.
 *
 * - Parameters: 1, 2, 3 the times before which cancelled, completed and discarded rows go, null to keep that state;
 *   4 limit. Result: none, the count of changes. Locks: the write lock.
 * - Index: `river_job_state_and_finalized_at_index`, one range a state. The unary plus keeps SQLite from walking the
 *   whole table in order of ID instead.
 * - `OLD` and `DELETE_OLD` do it in two steps, for tables with rows that cannot be deleted.
 */
const OLD_ROWS = `SELECT id FROM river_job WHERE state = 'cancelled' AND finalized_at < ?1
      UNION ALL SELECT id FROM river_job WHERE state = 'completed' AND finalized_at < ?2
      UNION ALL SELECT id FROM river_job WHERE state = 'discarded' AND finalized_at < ?3`;

export const DELETE_FINALIZED: string = `DELETE FROM river_job WHERE id IN (
    SELECT id FROM (
      ${OLD_ROWS}
    ) ORDER BY +id LIMIT ?4
  )`;

/** IDs of old rows, lowest first. Parameters as above, also 5 ID to go on after, 6 JSON array of IDs to leave out. */
export const OLD: string = `SELECT id FROM (
      ${OLD_ROWS}
    ) WHERE id > ?5 AND id NOT IN (SELECT value FROM json_each(?6)) ORDER BY +id LIMIT ?4`;

/** Deletes rows by ID as far as they are still old. Parameters as above, but 4 is a JSON array of the IDs. */
export const DELETE_OLD: string = `DELETE FROM river_job WHERE id IN (SELECT value FROM json_each(?4))
    AND finalized_at < CASE state WHEN 'cancelled' THEN ?1 WHEN 'completed' THEN ?2 WHEN 'discarded' THEN ?3 END`;
