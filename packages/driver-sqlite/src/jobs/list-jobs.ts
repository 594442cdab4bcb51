/** Listing. A search in metadata, which no index helps, goes along the sort order in slices so that the loop can turn. */
import type { JobRecord, ListJobsParams } from "riverqueue/driver";
import { loopTurn } from "../connection/loop-turn.ts";
import { operationError } from "../connection/sqlite-failure.ts";
import { formatOptionalTime, parseTime } from "../record/canonical-time.ts";
import { containment } from "../record/json-containment.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { filterConditions, hasAllTags, hasAnyTag, type SqlFragment } from "../sql/jobs/filter.ts";
import { behind, listStatement, storedTimeStatement, type StoredPosition } from "../sql/jobs/list.ts";

const ROWS_PER_SLICE = 250;

/** Runs one read on the connection. */
export type RunRead = <T>(body: (unit: Unit) => T) => Promise<T>;

interface Page {
  readonly jobs: readonly SqliteJobRecord[];
  /** The last row, matching or not; null when there was none. */
  readonly last: StoredPosition | null;
}

/**
 * One page of jobs.
 *
 * @param deadlineMs - milliseconds for a search in metadata; then it rejects with a retryable error.
 */
export async function listJobs(
  run: RunRead,
  params: ListJobsParams,
  deadlineMs: number,
): Promise<readonly JobRecord[]> {
  const start = await run((unit) => storedPosition(unit, params));
  if (params.metadata === undefined) {
    const page = await run((unit) => readPage(unit, params, start, params.limit));
    return page.jobs;
  }
  const matches = containment(params.metadata);
  const deadline = performance.now() + deadlineMs;
  const found: JobRecord[] = [];
  for (let position = start; ;) {
    const from = position;
    const { jobs, last } = await run((unit) => readPage(unit, params, from, ROWS_PER_SLICE));
    found.push(...jobs.filter((job) => job.readableMetadata !== null && matches(job.readableMetadata)));
    if (found.length >= params.limit || jobs.length < ROWS_PER_SLICE) return found.slice(0, params.limit);
    if (performance.now() > deadline) throw searchTimeout(deadlineMs);
    position = last;
    await loopTurn();
  }
}

function readPage(unit: Unit, params: ListJobsParams, position: StoredPosition | null, limit: number): Page {
  const conditions: SqlFragment[] = filterConditions(params.filter);
  if (params.tagsAll !== undefined) conditions.push(hasAllTags(params.tagsAll));
  if (params.tagsAny !== undefined) conditions.push(hasAnyTag(params.tagsAny));
  if (position !== null) conditions.push(behind(position, params));
  const { text, values } = listStatement(conditions, params, limit);
  const rows = unit.connection.rows(text, ...values);
  const jobs = rows.map((row) => new SqliteJobRecord(row));
  const last = rows.at(-1);
  const lastJob = jobs.at(-1);
  if (last === undefined || lastJob === undefined) return { jobs, last: null };
  return { jobs, last: { id: lastJob.id, time: params.sortBy === "id" ? null : (last.at(-1) as string | null) } };
}

/**
 * A position is compared as text. The row it was taken from may have been written by an older client in another form
 * of text; as long as it still has that time its own text is the position, or it would be listed twice.
 */
function storedPosition(unit: Unit, { after, sortBy }: ListJobsParams): StoredPosition | null {
  if (after === null) return null;
  const { id, time } = after;
  if (sortBy === "id" || time === null) return { id, time: null };
  const stored = unit.connection.row(storedTimeStatement(sortBy), id)?.[0];
  const isSame = typeof stored === "string" && parseTime(stored)?.equals(time) === true;
  return { id, time: isSame ? stored : formatOptionalTime(time) };
}

function searchTimeout(deadlineMs: number): Error {
  return operationError("busy", "jobs.list", { text: `the search in metadata took longer than ${deadlineMs} ms` });
}
