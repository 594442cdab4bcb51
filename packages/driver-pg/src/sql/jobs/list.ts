/**
 * Lists jobs.
 *
 * - Parameters: those of the conditions, then the limit. Result: `jobColumns` in the order asked for. Locks: none.
 * - Index: the primary key for order by ID; for a time column the rows that the filters leave are sorted;
 *   `river_job_metadata_index`, where it exists, for metadata.
 */
import type { JobListPosition, JobSortColumn, ListJobsParams } from "riverqueue/driver";
import type { Dialect } from "../../connection/dialect.ts";
import type { PgValue } from "../../connection/pg-connection.ts";
import { formatArray } from "../../record/pg-array.ts";
import { formatTime } from "../../record/pg-time.ts";
import { jobColumns } from "./columns.ts";
import { allOf, filterConditions, Placeholders } from "./filter.ts";

const COLUMN_OF: Readonly<Record<JobSortColumn, string>> = {
  id: "job.id",
  attemptedAt: "job.attempted_at",
  finalizedAt: "job.finalized_at",
  scheduledAt: "job.scheduled_at",
};

/** The statement for one page, and its values. */
export function listStatement(
  d: Dialect,
  params: ListJobsParams,
): { readonly text: string; readonly values: readonly PgValue[] } {
  const placeholders = new Placeholders();
  const conditions = filterConditions(d, params.filter, placeholders);
  const { tagsAll, tagsAny, metadata, after } = params;
  if (tagsAll !== undefined) conditions.push(`job.tags @> ${placeholders.add(formatArray(tagsAll))}::varchar(255)[]`);
  if (tagsAny !== undefined) conditions.push(`job.tags && ${placeholders.add(formatArray(tagsAny))}::varchar(255)[]`);
  if (metadata !== undefined) conditions.push(`job.metadata @> ${placeholders.add(metadata)}::jsonb`);
  if (after !== null) conditions.push(behind(after, params, placeholders));
  const text = `SELECT ${jobColumns(d)} FROM ${d.prefix}river_job AS job WHERE ${allOf(conditions)}
    ORDER BY ${orderBy(params)} LIMIT ${placeholders.add(String(params.limit))}::bigint`;
  return { text, values: placeholders.values };
}

/** Rows without a time come last ascending and first descending. */
function orderBy({ sortBy, descending }: ListJobsParams): string {
  const direction = descending ? "DESC" : "ASC";
  return sortBy === "id" ? `job.id ${direction}` : `${COLUMN_OF[sortBy]} ${direction}, job.id ${direction}`;
}

/** Rows behind a position in that order. */
function behind(
  { id, time }: JobListPosition,
  { sortBy, descending }: ListJobsParams,
  placeholders: Placeholders,
): string {
  const column = COLUMN_OF[sortBy];
  const beyond = descending ? "<" : ">";
  const idAt = `${placeholders.add(String(id))}::bigint`;
  if (sortBy === "id") return `job.id ${beyond} ${idAt}`;
  if (time === null) {
    const rest = descending ? ` OR ${column} IS NOT NULL` : "";
    return `(${column} IS NULL AND job.id ${beyond} ${idAt})${rest}`;
  }
  const nulls = descending ? "" : ` OR ${column} IS NULL`;
  return `(${column}, job.id) ${beyond} (${placeholders.add(formatTime(time))}::timestamptz, ${idAt})${nulls}`;
}
