/**
 * Reads one job.
 *
 * - Parameters: 1 ID. Result: `jobColumns`, or no row. Locks: none. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns } from "./columns.ts";

export const GET: SqlTemplate = (d) =>
  `SELECT ${jobColumns(d)} FROM ${d.prefix}river_job AS job WHERE job.id = $1::bigint`;
