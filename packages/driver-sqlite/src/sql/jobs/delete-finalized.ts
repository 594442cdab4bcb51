/**
 * Deletes old finalized rows, lowest IDs first.
 *
 * - Parameters: 1, 2, 3 the times before which cancelled, completed and discarded rows go, null to keep that state;
 *   4 limit. Result: none, the count of changes. Locks: the write lock.
 * - Index: `river_job_state_and_finalized_at_index`, one range a state. The unary plus keeps SQLite from walking the
 *   whole table in order of ID instead.
 */
export const DELETE_FINALIZED: string = `DELETE FROM river_job WHERE id IN (
    SELECT id FROM (
      SELECT id FROM river_job WHERE state = 'cancelled' AND finalized_at < ?1
      UNION ALL SELECT id FROM river_job WHERE state = 'completed' AND finalized_at < ?2
      UNION ALL SELECT id FROM river_job WHERE state = 'discarded' AND finalized_at < ?3
    ) ORDER BY +id LIMIT ?4
  )`;
