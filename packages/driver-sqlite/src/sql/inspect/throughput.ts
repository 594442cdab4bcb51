/**
 * Jobs finalized in one state per minute, from the latest ones.
 *
 * - Parameters: 1 state, 2 start, 3 end, 4 cap. Result: minute (`YYYY-MM-DD HH:MM`) and count. Locks: none.
 * - Index: `river_job_state_and_finalized_at_index`.
 */
export const FINALIZED_PER_MINUTE: string = `SELECT substr(finalized_at, 1, 16) AS minute, count(*) FROM (
    SELECT finalized_at FROM river_job WHERE state = ?1 AND finalized_at >= ?2 AND finalized_at < ?3
    ORDER BY finalized_at DESC LIMIT ?4
  ) GROUP BY minute`;
