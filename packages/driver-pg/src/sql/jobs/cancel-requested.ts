/**
 * Running attempts of one client that carry a cancel mark.
 *
 * - Parameters: 1 IDs, 2 client ID.
 * - Result: ID, claim time, mark as text. Whether the mark is younger than the claim is for the caller to see: the mark
 *   may have any offset and precision.
 * - Locks: none. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { hasCancelMark, lastClient } from "./columns.ts";

export const CANCEL_REQUESTED: SqlTemplate = (d) => `SELECT job.id::text AS id, job.attempted_at::text AS attempted_at,
    job.metadata ->> 'cancel_attempted_at' AS mark
  FROM ${d.prefix}river_job AS job
  WHERE job.id = ANY ($1::bigint[])
    AND CASE WHEN job.state = 'running' AND ${lastClient("job")} = $2::text THEN ${hasCancelMark("job")} ELSE false END
    AND jsonb_typeof(job.metadata -> 'cancel_attempted_at') = 'string'`;
