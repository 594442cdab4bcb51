/** What the rescuer has to know about kinds and retry times; answered by the client, which knows workers and policies. */
import type { JobRow } from "../model/job-row.ts";
import type { DecodedJobRow } from "../model/job-row-view.ts";

/** The worker of one kind as the rescuer sees it. */
export interface StuckJobWorker {
  /** Milliseconds that an attempt may take: the worker's timeout, else the client's; null when disabled. */
  readonly timeoutMs: number | null;
  /** The job with decoded arguments. Throws, or rejects, when they do not decode. */
  decode(job: JobRow): DecodedJobRow<unknown> | PromiseLike<DecodedJobRow<unknown>>;
  /** Time of the next attempt: by the worker's policy, else the client's, else the built-in one. Never throws. */
  retryTime(job: DecodedJobRow<unknown>, now: Temporal.Instant): Temporal.Instant;
}

/** See the file header. */
export interface StuckJobPolicy {
  /** Null for a kind that has no worker. */
  workerOf(kind: string): StuckJobWorker | null;
  /** Time of the next attempt by the client's policy, else the built-in one. Never throws. */
  retryTime(job: JobRow, now: Temporal.Instant): Temporal.Instant;
}
