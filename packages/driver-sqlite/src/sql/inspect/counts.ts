/**
 * Rows in one state, counted up to a cap.
 *
 * - Parameters: 1 state, 2 cap + 1. Result: the count. Locks: none. Index: `river_job_prioritized_fetching_index`.
 */
export const COUNT_STATE = "SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = ?1 LIMIT ?2)";
