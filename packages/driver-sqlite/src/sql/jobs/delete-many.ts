/**
 * Deletes jobs that match filters, lowest IDs first; running ones stay.
 *
 * - Parameters: those of the conditions, then the limit. Result: `JOB_COLUMNS` as they were. Locks: the write lock.
 * - Index: whichever suits the filters.
 */
import type { JobFilter } from "riverqueue/driver";
import { JOB_COLUMNS } from "./columns.ts";
import { allOf, filterConditions, type SqlFragment } from "./filter.ts";

/** The statement for `filter`. */
export function deleteManyStatement(filter: JobFilter, limit: number): SqlFragment {
  const where = allOf([...filterConditions(filter), { text: "state <> 'running'", values: [] }]);
  return {
    text: `DELETE FROM river_job WHERE id IN (SELECT id FROM river_job WHERE ${where.text} ORDER BY id LIMIT ?)
      RETURNING ${JOB_COLUMNS}`,
    values: [...where.values, limit],
  };
}
