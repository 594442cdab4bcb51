/** From the options of `jobs.list` to the driver's parameters, and from a page to its cursor. */
import type { JobListOptions, JobListOrderBy, SortDirection } from "../api/job-operations.ts";
import type { JobFilter, JobListPosition, JobSortColumn, ListJobsParams } from "../driver/select-jobs.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import { copyJsonObject } from "../json/copy-json-value.ts";
import { encodeStoredJson } from "../json/encode-stored-json.ts";
import type { JobRow } from "../model/job-row.ts";
import { FINALIZED_JOB_STATES, isFinalizedState, type JobState } from "../model/job-state.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { decodeJobListCursor, encodeJobListCursor, type JobListCursor } from "./job-list-cursor.ts";
import { readTx } from "./operations-context.ts";
import { type Expectation, oneOf, readLimit, readList, readOptional, STORABLE_TEXT } from "./read-argument.ts";
import { JOB_FILTER_KEYS, readJobFilter } from "./read-job-filter.ts";

/** A checked list. */
export interface JobListQuery {
  readonly params: ListJobsParams;
  readonly orderBy: JobListOrderBy;
  readonly tx: unknown;
}

const LIST_KEYS: readonly (keyof JobListOptions | "tx")[] = Object.freeze([
  ...JOB_FILTER_KEYS,
  "tagsAll",
  "tagsAny",
  "metadata",
  "orderBy",
  "sortDirection",
  "limit",
  "after",
  "tx",
]);
const ORDER: Expectation<JobListOrderBy> = oneOf(["finalizedAt", "id", "scheduledAt", "time"]);
const DIRECTION: Expectation<SortDirection> = oneOf(["asc", "desc"]);

/** @throws ValidationError naming everything that is wrong; JsonValueError when that is the metadata filter alone. */
export function readJobListQuery(value: unknown): JobListQuery {
  const faults = new InsertFaults();
  const problems = faults.options;
  const options = problems.object(value, "", LIST_KEYS);
  const orderBy = readOptional(problems, options["orderBy"], "orderBy", ORDER) ?? "id";
  const filter = withStatesOfOrder(problems, readJobFilter(problems, options), orderBy);
  const sortBy = sortColumn(orderBy, filter.states);
  const params: ListJobsParams = {
    filter,
    tagsAll: readList(problems, options["tagsAll"], "tagsAll", STORABLE_TEXT),
    tagsAny: readList(problems, options["tagsAny"], "tagsAny", STORABLE_TEXT),
    metadata: readMetadataFilter(faults, options["metadata"]),
    sortBy,
    descending: readOptional(problems, options["sortDirection"], "sortDirection", DIRECTION) === "desc",
    after: readAfter(problems, options["after"], sortBy),
    limit: readLimit(problems, options["limit"]),
  };
  const tx = readTx(problems, options["tx"]);
  faults.throwValidation();
  return { params, orderBy, tx };
}

/** The cursor after `page`, null when it was not full. */
export function nextJobListCursor({ params, orderBy }: JobListQuery, page: readonly JobRow[]): string | null {
  const last = page.at(-1);
  if (last === undefined || page.length < params.limit) return null;
  const time = params.sortBy === "id" ? null : last[params.sortBy];
  return encodeJobListCursor({ id: last.id, kind: last.kind, queue: last.queue, orderBy, time });
}

function withStatesOfOrder(problems: OptionProblems, filter: JobFilter, orderBy: JobListOrderBy): JobFilter {
  const { states } = filter;
  if (orderBy === "finalizedAt") {
    if (states === undefined) return { ...filter, states: FINALIZED_JOB_STATES };
    if (states.length === 0 || !states.every(isFinalizedState)) {
      problems.add("states", `must be of ${FINALIZED_JOB_STATES.join(", ")} for orderBy finalizedAt`);
    }
  }
  if (orderBy === "time" && states?.length === 0) problems.add("states", "must not be empty for orderBy time");
  return filter;
}

/** `time` goes by the first state; without states that is `available`. */
function sortColumn(orderBy: JobListOrderBy, states: readonly JobState[] = ["available"]): JobSortColumn {
  if (orderBy !== "time") return orderBy;
  const [first = "available"] = states;
  if (first === "running") return "attemptedAt";
  return isFinalizedState(first) ? "finalizedAt" : "scheduledAt";
}

function readMetadataFilter(faults: InsertFaults, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return faults.collect(() => encodeStoredJson(copyJsonObject(value, { subject: "metadata" }), "metadata"));
}

function readAfter(problems: OptionProblems, value: unknown, sortBy: JobSortColumn): JobListPosition | null {
  if (value === undefined) return null;
  const cursor = typeof value === "string" ? decodeJobListCursor(value) : null;
  if (cursor === null) problems.add("after", "must be the nextCursor of a job list");
  else if (!fits(cursor, sortBy)) problems.add("after", "must be the nextCursor of a list with the same orderBy");
  else return { id: cursor.id, time: cursor.time };
  return null;
}

/** Whether the cursor can have come from such a list; of the times only `scheduledAt` is never null. */
function fits({ orderBy, time }: JobListCursor, sortBy: JobSortColumn): boolean {
  if (sortBy === "id") return time === null;
  return time === null ? orderBy !== "id" && sortBy !== "scheduledAt" : true;
}
