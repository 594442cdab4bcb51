/**
 * Running rows claimed before a time.
 *
 * - Parameters: 1 time, 2 ID to go on after, 3 limit. Result: `jobColumns` by ID. Locks: none.
 * - Index: `river_job_prioritized_fetching_index` for the state; running rows are few.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns } from "./columns.ts";

export const LIST_STUCK: SqlTemplate = (d) => `SELECT ${jobColumns(d)} FROM ${d.prefix}river_job AS job
  WHERE job.state = 'running' AND job.attempted_at < $1::timestamptz AND job.id > $2::bigint
  ORDER BY job.id LIMIT $3::bigint`;
