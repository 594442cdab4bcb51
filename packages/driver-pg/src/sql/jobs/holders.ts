/**
 * Another row that occupies the unique key of a job.
 *
 * - Parameters: 1 ID. Result: at most one ID. Locks: none. Index: the primary key, then `river_job_unique_idx`.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsUniqueKey } from "./columns.ts";

export const OTHER_HOLDER: SqlTemplate = (d) => `SELECT holder.id::text AS id FROM ${d.prefix}river_job AS holder
  WHERE holder.unique_key = (SELECT job.unique_key FROM ${d.prefix}river_job AS job WHERE job.id = $1::bigint)
    AND holder.id <> $1::bigint AND ${holdsUniqueKey(d, "holder")}`;
