/** Parameters and result of the one verb that writes new jobs. */
import type { JobRecord } from "../model/job-record.ts";
import type { JobState } from "../model/job-state.ts";
import type { Notice } from "./notice.ts";

/** A new job, validated and encoded. */
export interface JobToInsert {
  readonly kind: string;
  readonly queue: string;
  readonly state: Extract<JobState, "available" | "pending" | "scheduled">;
  readonly priority: number;
  readonly maxAttempts: number;
  /** JSON text of an object, stored as it is. */
  readonly args: string;
  /** JSON text of an object. */
  readonly metadata: string;
  readonly tags: readonly string[];
  /** Null: the time of insertion by the database clock. */
  readonly scheduledAt: Temporal.Instant | null;
  /** 32 bytes, or null when the job is not unique. */
  readonly uniqueKey: Uint8Array | null;
  /** Mask of unique states; null exactly when `uniqueKey` is. */
  readonly uniqueStates: number | null;
}

/** One atomic insertion. No two jobs of it share a unique key: the caller has removed such repeats. */
export interface InsertJobsParams {
  readonly jobs: readonly JobToInsert[];
  /** Sent in the same transaction. */
  readonly notices: readonly Notice[];
  /** `relaxed`: the commit need not wait for the disk. Ignored inside a caller's transaction. */
  readonly durability: "default" | "relaxed";
}

/** Outcome for one job, in the order of the request. */
export interface InsertedJob {
  /** The new row, or the row that already held the unique key, unchanged. */
  readonly job: JobRecord;
  readonly duplicate: boolean;
}
