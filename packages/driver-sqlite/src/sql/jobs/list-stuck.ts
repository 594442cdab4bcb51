/**
 * Running rows claimed before a time.
 *
 * - Parameters: 1 time, 2 ID to go on after, 3 limit. Result: `JOB_COLUMNS` by ID. Locks: none.
 * - Index: `river_job_prioritized_fetching_index` for the state; running rows are few.
 */
import { JOB_COLUMNS } from "./columns.ts";

export const LIST_STUCK: string = `SELECT ${JOB_COLUMNS} FROM river_job
  WHERE state = 'running' AND attempted_at < ?1 AND +id > ?2 ORDER BY +id LIMIT ?3`;
