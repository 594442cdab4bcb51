/** A job as applications see it. Rows are snapshots: nothing written to the database later changes one. */
import type { JsonObject } from "../json/json-value.ts";
import type { AttemptError } from "./attempt-error.ts";
import type { JobState } from "./job-state.ts";

/**
 * One row of `river_job`. JSON and times are decoded when first read.
 *
 * @typeParam Args - what `args` holds; the persisted JSON object unless a definition is known.
 */
export interface JobRow<Args = JsonObject> {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  /** 1 (first) to 4 (last). */
  readonly priority: number;
  /** Attempts counted so far; the running attempt included. A snooze or an interruption gives its attempt back. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly args: Args;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
  /** Client ID of each claim, oldest first, the last 100. */
  readonly attemptedBy: readonly string[];
  readonly errors: readonly AttemptError[];
  readonly createdAt: Temporal.Instant;
  /** When the job may be claimed at the earliest. */
  readonly scheduledAt: Temporal.Instant;
  /** Start of the latest claim. */
  readonly attemptedAt: Temporal.Instant | null;
  /** Set exactly in the finalized states. */
  readonly finalizedAt: Temporal.Instant | null;
  /** SHA-256 of the unique key, 32 bytes. */
  readonly uniqueKey: Uint8Array | null;
  /** States in which the job holds its unique key. */
  readonly uniqueStates: readonly JobState[] | null;
}
