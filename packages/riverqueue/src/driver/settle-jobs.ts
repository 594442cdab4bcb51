/**
 * Parameters and result of settling: writing the end of attempts. A settlement changes a job only while its attempt
 * owns the row: state `running`, same attempt number, last claimed by the same client.
 */
import type { JobRecord } from "../model/job-record.ts";
import type { JobState } from "../model/job-state.ts";

/** The end of one attempt. */
export interface Settlement {
  readonly id: bigint;
  /** Attempt number as claimed. */
  readonly attempt: number;
  /** Client that claimed it. */
  readonly clientId: string;
  /**
   * State to store. With `available`, `retryable` or `scheduled` a row that carries `cancel_attempted_at` becomes
   * `cancelled` instead: finalized now, attempt and `scheduled_at` as they are, error still appended.
   */
  readonly state: Exclude<JobState, "pending" | "running">;
  /** Attempt number to store; null leaves it. */
  readonly newAttempt: number | null;
  /** Set exactly when `state` is finalized. */
  readonly finalizedAt: Temporal.Instant | null;
  /** New time to run; null leaves it. */
  readonly scheduledAt: Temporal.Instant | null;
  /** JSON text of an error entry to append; null appends nothing. */
  readonly error: string | null;
  /** JSON text of an object whose top-level keys replace stored ones; null merges nothing. */
  readonly metadata: string | null;
  /** Delete the row instead of storing `completed`; only with state `completed`. */
  readonly deleteRow: boolean;
}

/** Settlements of one statement. Each job ID occurs at most once. */
export interface SettleJobsParams {
  readonly settlements: readonly Settlement[];
  /** Whether the result needs full rows for settlements that the driver can write without reading them back. */
  readonly wantRows: boolean;
}

/**
 * What became of one settlement.
 *
 * - `settled`: written; `state` is the stored state.
 * - `merged`: the row left `running` before; only metadata was merged.
 * - `superseded`: the row was claimed again since; nothing was written.
 * - `missing`: no such row.
 * - `locked`: another session holds the row; nothing was written, settle it again later.
 */
export interface SettledJob {
  readonly id: bigint;
  readonly outcome: "settled" | "merged" | "superseded" | "missing" | "locked";
  /** State of the row afterwards; null when `missing` or `locked`. */
  readonly state: JobState | null;
  /** Row afterwards, for a deleted row as it would have been stored; null when not read. */
  readonly job: JobRecord | null;
}
