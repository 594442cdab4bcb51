/**
 * Lists jobs.
 *
 * - Parameters: those of the conditions, then the limit.
 * - Result: `JOB_COLUMNS`, then the sort column as stored, in the order asked for.
 * - Locks: none.
 * - Index: the primary key for order by ID; for a time column SQLite sorts what the filters leave.
 */
import type { JobSortColumn } from "riverqueue/driver";
import type { SqliteValue } from "../../connection/sqlite-connection.ts";
import { JOB_COLUMNS } from "./columns.ts";
import { allOf, type SqlFragment } from "./filter.ts";

const COLUMN_OF: Readonly<Record<JobSortColumn, string>> = {
  id: "id",
  attemptedAt: "attempted_at",
  finalizedAt: "finalized_at",
  scheduledAt: "scheduled_at",
};

/** Where a page begins: ID and stored text of the sort column of the row before it. */
export interface StoredPosition {
  readonly id: bigint;
  readonly time: string | null;
}

/** How a list is sorted. */
export interface ListOrder {
  readonly sortBy: JobSortColumn;
  readonly descending: boolean;
}

/** One page of jobs. */
export function listStatement(conditions: readonly SqlFragment[], order: ListOrder, limit: number): SqlFragment {
  const column = COLUMN_OF[order.sortBy];
  const where = allOf(conditions);
  return {
    text: `SELECT ${JOB_COLUMNS}, ${column} FROM river_job WHERE ${where.text} ORDER BY ${orderBy(order)} LIMIT ?`,
    values: [...where.values, limit] satisfies SqliteValue[],
  };
}

/** Rows without a time come last ascending and first descending, as on Postgres. */
function orderBy({ sortBy, descending }: ListOrder): string {
  const direction = descending ? "DESC" : "ASC";
  if (sortBy === "id") return `id ${direction}`;
  return `${COLUMN_OF[sortBy]} ${direction} NULLS ${descending ? "FIRST" : "LAST"}, id ${direction}`;
}

/** Rows behind `position` in that order. */
export function behind({ id, time }: StoredPosition, { sortBy, descending }: ListOrder): SqlFragment {
  const column = COLUMN_OF[sortBy];
  const beyond = descending ? "<" : ">";
  if (sortBy === "id") return { text: `id ${beyond} ?`, values: [id] };
  if (time === null) {
    const rest = descending ? ` OR ${column} IS NOT NULL` : "";
    return { text: `(${column} IS NULL AND id ${beyond} ?)${rest}`, values: [id] };
  }
  const nulls = descending ? "" : ` OR ${column} IS NULL`;
  return {
    text: `${column} ${beyond} ? OR (${column} = ? AND id ${beyond} ?)${nulls}`,
    values: [time, time, id],
  };
}

/** The sort column of job 1 as stored. */
export function storedTimeStatement(sortBy: JobSortColumn): string {
  return `SELECT ${COLUMN_OF[sortBy]} FROM river_job WHERE id = ?1`;
}
