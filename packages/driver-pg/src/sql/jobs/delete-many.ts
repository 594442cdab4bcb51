/**
 * Deletes jobs that match filters, lowest IDs first; running ones stay.
 *
 * - Parameters: those of the conditions, then the limit. Result: `jobColumns` as they were, by ID.
 * - Locks: the rows; locked ones are skipped. Index: whichever suits the filters.
 */
import type { DeleteJobsParams } from "riverqueue/driver";
import type { Dialect } from "../../connection/dialect.ts";
import type { PgValue } from "../../connection/pg-connection.ts";
import { jobColumns } from "./columns.ts";
import { allOf, filterConditions, Placeholders } from "./filter.ts";

/** The statement for a deletion, and its values. */
export function deleteManyStatement(
  d: Dialect,
  { filter, limit }: DeleteJobsParams,
): { readonly text: string; readonly values: readonly PgValue[] } {
  const placeholders = new Placeholders();
  const where = allOf([...filterConditions(d, filter, placeholders), "job.state <> 'running'"]);
  const text = `WITH held AS MATERIALIZED (
    SELECT job.* FROM ${d.prefix}river_job AS job WHERE ${where}
    ORDER BY job.id LIMIT ${placeholders.add(String(limit))}::bigint FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM ${d.prefix}river_job AS job USING held WHERE job.id = held.id RETURNING job.id
  )
  SELECT ${jobColumns(d)} FROM held AS job WHERE job.id IN (SELECT id FROM deleted) ORDER BY job.id`;
  return { text, values: placeholders.values };
}
