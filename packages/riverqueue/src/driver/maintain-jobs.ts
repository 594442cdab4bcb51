/**
 * Parameters and results of the leader's verbs on jobs. Each is fenced by the term: when the leadership row no
 * longer names it, nothing is written and the verb answers null.
 */
import type { JobState } from "../model/job-state.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import type { Notice } from "./notice.ts";
import type { Refusals } from "./refusals.ts";

/** Promotion of due `scheduled` and `retryable` jobs, one transaction. */
export interface PromoteJobsParams {
  readonly term: LeaderTerm;
  /** Rows scheduled at or before it are due. */
  readonly dueBy: Temporal.Instant;
  /** `finalized_at` of rows discarded for a unique conflict. */
  readonly passAt: Temporal.Instant;
  /** Queues of promoted rows scheduled at or before it are offered to `noticesFor`. */
  readonly noticeBy: Temporal.Instant;
  readonly limit: number;
  /** Called once, inside the transaction; what it returns is sent in it. */
  readonly noticesFor: (queues: readonly string[]) => readonly Notice[];
  /** A row that the database refuses to change costs only itself. */
  readonly refusals?: Refusals;
}

/**
 * Outcome of one promotion. `taken` rows were due, refused ones included; fewer than the limit means that nothing more is
 * due.
 */
export interface PromoteJobsResult {
  readonly taken: number;
  readonly promoted: number;
  /** Rows whose unique key another row holds. */
  readonly discarded: number;
  /** IDs of rows left as they are because even discarding them would violate the unique index. */
  readonly skipped: readonly bigint[];
}

/** A page of `running` rows claimed before `horizon`, by ascending ID. */
export interface ListStuckParams {
  readonly horizon: Temporal.Instant;
  readonly afterId: bigint;
  readonly limit: number;
}

/** What becomes of one stuck job. */
export interface Rescue {
  readonly id: bigint;
  readonly state: Extract<JobState, "cancelled" | "discarded" | "retryable">;
  readonly finalizedAt: Temporal.Instant | null;
  /** Null leaves it. */
  readonly scheduledAt: Temporal.Instant | null;
  /** JSON text of the error entry to append. */
  readonly error: string;
  /** JSON text of an object to merge at top level. */
  readonly metadata: string;
}

/** Rescues; a row is left alone unless it is still `running` and claimed before `horizon`. */
export interface RescueJobsParams {
  readonly term: LeaderTerm;
  readonly horizon: Temporal.Instant;
  readonly rescues: readonly Rescue[];
  /** Told about rows that the database refuses to change, by drivers that find them; others fail the call for all rows. */
  readonly refusals?: Refusals;
}

/** Deletion of finalized rows, lowest IDs first. A null time keeps that state for ever. */
export interface DeleteFinalizedParams {
  readonly term: LeaderTerm;
  readonly cancelledBefore: Temporal.Instant | null;
  readonly completedBefore: Temporal.Instant | null;
  readonly discardedBefore: Temporal.Instant | null;
  readonly limit: number;
  /** A row that the database refuses to delete costs only itself. */
  readonly refusals?: Refusals;
}
