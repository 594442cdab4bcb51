/**
 * Merges metadata of one job at its top level.
 *
 * - Parameters: 1 ID, 2 JSON text of an object. Result: `jobColumns`, or no row. Locks: the row. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns, mergedMetadata } from "./columns.ts";

export const UPDATE_METADATA: SqlTemplate = (d) => `UPDATE ${d.prefix}river_job AS job
  SET metadata = ${mergedMetadata("job", "$2::jsonb")} WHERE job.id = $1::bigint RETURNING ${jobColumns(d)}`;
