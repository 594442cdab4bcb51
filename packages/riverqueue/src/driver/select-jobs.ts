/** Filters for reading and deleting jobs on behalf of applications. All given filters must match. */
import type { JobState } from "../model/job-state.ts";

/** Filters that lists and bulk deletions share; an absent one matches everything, an empty one nothing. */
export interface JobFilter {
  readonly ids?: readonly bigint[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly priorities?: readonly number[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
}

/** Column a list is sorted by; ties are broken by ID in the same direction. Null times sort last ascending. */
export type JobSortColumn = "id" | "attemptedAt" | "finalizedAt" | "scheduledAt";

/** Position after which a list goes on: time of the sort column (null: the row has none) and ID. */
export interface JobListPosition {
  readonly id: bigint;
  /** Ignored when sorting by ID. */
  readonly time: Temporal.Instant | null;
}

/** One page of jobs. */
export interface ListJobsParams {
  readonly filter: JobFilter;
  /** Tags a job must have, all of them. */
  readonly tagsAll?: readonly string[] | undefined;
  /** Tags of which a job must have at least one. */
  readonly tagsAny?: readonly string[] | undefined;
  /** JSON text of an object that the stored metadata must contain, with the meaning of Postgres's `@>`. */
  readonly metadata?: string | undefined;
  readonly sortBy: JobSortColumn;
  readonly descending: boolean;
  readonly after: JobListPosition | null;
  readonly limit: number;
}

/** Bulk deletion, lowest IDs first; `running` rows are never deleted. */
export interface DeleteJobsParams {
  readonly filter: JobFilter;
  readonly limit: number;
}
