/** The end of an attempt on its way from the attempt runner to the completion pipeline. */
import type { Settlement } from "../driver/settle-jobs.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { AttemptEventKind } from "./classify-outcome.ts";

/** What is to be written and reported about one attempt. */
export interface AttemptEnd {
  /** The job as claimed. */
  readonly record: JobRecord;
  readonly settlement: Settlement;
  /** The event, provided that the attempt still owns its row. */
  readonly eventKind: AttemptEventKind;
  /** What the event carries; undefined when the attempt did not fail. */
  readonly error?: unknown;
  /**
   * The job as `completeTx` wrote it in a transaction of the application, which may have been rolled back; null when it
   * was not called. With `deleteOnComplete` the row is gone after the commit, and this is what its event carries.
   */
  readonly completedTx: JobRecord | null;
}
