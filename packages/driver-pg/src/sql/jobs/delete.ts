/**
 * Deletes one job unless it is running.
 *
 * - Parameters: 1 ID. Result: `jobColumns` and whether it was deleted; none when it is missing. Locks: the row.
 * - Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns } from "./columns.ts";

export const DELETE: SqlTemplate = (d) => `WITH present AS MATERIALIZED (
    SELECT job.* FROM ${d.prefix}river_job AS job WHERE job.id = $1::bigint FOR UPDATE
  ), deleted AS (
    DELETE FROM ${d.prefix}river_job AS job USING present WHERE job.id = present.id AND present.state <> 'running'
    RETURNING job.id
  )
  SELECT ${jobColumns(d)}, EXISTS (SELECT 1 FROM deleted)::text AS deleted FROM present AS job`;
