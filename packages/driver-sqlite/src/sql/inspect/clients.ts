/**
 * Running jobs by the client that claimed them last.
 *
 * - Parameters: 1 rows to look at, 2 limit. Result: client and count, most first. Locks: none.
 * - Index: `river_job_prioritized_fetching_index`.
 */
import { LAST_CLIENT } from "../jobs/columns.ts";

export const RUNNING_BY_CLIENT: string = `SELECT client, count(*) AS running FROM (
    SELECT ${LAST_CLIENT} AS client FROM river_job WHERE state = 'running' LIMIT ?1
  ) WHERE client IS NOT NULL GROUP BY client ORDER BY running DESC, client LIMIT ?2`;
