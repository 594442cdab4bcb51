/**
 * A job as a driver hands it over: columns read, JSON still text. Drivers may implement it with lazy getters, so
 * that a claim pays only for what an attempt looks at; a getter whose column holds something unreadable throws.
 */
import type { JobState } from "./job-state.ts";

/** An undecoded row of `river_job`. */
export interface JobRecord {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly priority: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** JSON text of an object. */
  readonly args: string;
  /** JSON text of an object. */
  readonly metadata: string;
  /** JSON text of an array of error entries, `[]` when the column is null. */
  readonly errors: string;
  readonly tags: readonly string[];
  readonly attemptedBy: readonly string[];
  readonly createdAt: Temporal.Instant;
  readonly scheduledAt: Temporal.Instant;
  readonly attemptedAt: Temporal.Instant | null;
  readonly finalizedAt: Temporal.Instant | null;
  readonly uniqueKey: Uint8Array | null;
  /** Mask as stored, see `bitmaskOfStates`; null when the job is not unique. */
  readonly uniqueStates: number | null;
}
