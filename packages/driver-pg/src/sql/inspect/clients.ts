/**
 * Running jobs by the client that claimed them last.
 *
 * - Parameters: 1 rows to look at, 2 limit. Result: client and count, most first. Locks: none.
 * - Index: `river_job_prioritized_fetching_index`, whose order keeps the planner to it whatever its statistics say.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { lastClient } from "../jobs/columns.ts";

export const RUNNING_BY_CLIENT: SqlTemplate = (d) => `SELECT client, count(*)::text AS running FROM (
    SELECT ${lastClient("job")} AS client FROM ${d.prefix}river_job AS job WHERE job.state = 'running'
    ORDER BY job.queue, job.priority, job.scheduled_at, job.id LIMIT $1::bigint
  ) AS limited WHERE client IS NOT NULL GROUP BY client ORDER BY count(*) DESC, client COLLATE "C" LIMIT $2::bigint`;
