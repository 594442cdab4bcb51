/** What log entries say about a job. Reading it never throws, whatever somebody did to the row. */
import type { JobRecord } from "./job-record.ts";

/** Attributes of a log entry; IDs are text, as JSON has no bigint. */
export type LoggableJob = {
  readonly jobId: string;
  /** `(unreadable)` when the column is. */
  readonly jobKind: string;
  /** Null when the column is unreadable. */
  readonly attempt: number | null;
};

/** See the file header. */
export function loggableJob(job: Pick<JobRecord, "attempt" | "id" | "kind">): LoggableJob {
  return {
    jobId: String(job.id),
    jobKind: readable(() => job.kind, "(unreadable)"),
    attempt: readable(() => job.attempt, null),
  };
}

function readable<T, Fallback>(read: () => T, fallback: Fallback): Fallback | T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
