/** `client.jobs`: reading and changing jobs from outside an attempt. */
import type { TransactionOptions } from "../insert/transaction-options.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { JobRow } from "../model/job-row.ts";
import type { JobState } from "../model/job-state.ts";

/** Column a list is sorted by; `time` is the time that matters in the first of the listed states. */
export type JobListOrderBy = "finalizedAt" | "id" | "scheduledAt" | "time";

/** Direction of a list; ties are broken by ID in the same direction. */
export type SortDirection = "asc" | "desc";

/** Filters and order of a list. All given filters must match; an absent one matches everything. */
export interface JobListOptions {
  readonly ids?: readonly bigint[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly priorities?: readonly number[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  /** Tags a job must have, all of them. */
  readonly tagsAll?: readonly string[] | undefined;
  /** Tags of which a job must have at least one. */
  readonly tagsAny?: readonly string[] | undefined;
  /**
   * Object that the stored metadata must contain: every key is present with a containing value, array elements are
   * found in any order, scalars are equal.
   */
  readonly metadata?: JsonObject | undefined;
  /** Default `id`. `finalizedAt` needs finalized states only and presets them. */
  readonly orderBy?: JobListOrderBy | undefined;
  /** Default `asc`. */
  readonly sortDirection?: SortDirection | undefined;
  /** Rows per page, 1 to 10,000, default 100. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, made by a client in any language. */
  readonly after?: string | undefined;
}

/** One page of jobs. */
export interface JobListResult {
  readonly jobs: readonly JobRow[];
  /** Pass as `after` for the next page; null when this page was not full. */
  readonly nextCursor: string | null;
}

/** Which jobs a bulk deletion covers: at least one filter, or `all: true` and no filter. */
export interface JobDeleteManyOptions {
  readonly all?: boolean | undefined;
  readonly ids?: readonly bigint[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly priorities?: readonly number[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  /** Rows per call, 1 to 10,000, default 100. */
  readonly limit?: number | undefined;
}

/** What an update merges into a job. */
export interface JobUpdateOptions {
  /** Top-level keys that replace stored ones. Keys that start with `river:` are reserved. */
  readonly metadata?: JsonObject | undefined;
  /** Stored under the metadata key `output`, at most 32 MiB of JSON. */
  readonly output?: JsonValue | undefined;
}

/**
 * Operations on stored jobs. A missing row is null. Each throws `ValidationError` for bad arguments and
 * `DatabaseOperationError` when the database fails; with `{ tx }` it runs in that transaction.
 */
export interface JobOperations<Tx> {
  get(id: bigint, options?: TransactionOptions<Tx>): Promise<JobRow | null>;
  list(options?: JobListOptions & TransactionOptions<Tx>): Promise<JobListResult>;
  /**
   * Cancels a job. One that is not running is finalized at once; a running one is marked and its client told: what the
   * handler makes of the abort decides. A finalized job is returned unchanged.
   *
   * @throws UniqueConflictError when the job would take a unique key that another row holds; nothing is changed, but on
   *   Postgres the caller's transaction is aborted.
   */
  cancel(id: bigint, options?: TransactionOptions<Tx>): Promise<JobRow | null>;
  /**
   * Makes a job available now, with one more attempt if it had used up all. A running job is returned unchanged. Sends
   * no notice: the job is found by polling.
   *
   * @throws UniqueConflictError when another row holds the job's unique key by now; the job is unchanged, but on
   *   Postgres the caller's transaction is aborted.
   */
  retry(id: bigint, options?: TransactionOptions<Tx>): Promise<JobRow | null>;
  /** @throws JobRunningError when the job is running. */
  delete(id: bigint, options?: TransactionOptions<Tx>): Promise<JobRow | null>;
  /**
   * Deletes up to `limit` matching jobs, lowest IDs first, never a running one. All or none: a job that a table of yours
   * refers to without `ON DELETE CASCADE`, or that a trigger keeps, fails the call.
   */
  deleteMany(options: JobDeleteManyOptions & TransactionOptions<Tx>): Promise<JobRow[]>;
  /** Merges metadata and output into a job in any state. */
  update(id: bigint, options: JobUpdateOptions & TransactionOptions<Tx>): Promise<JobRow | null>;
}
