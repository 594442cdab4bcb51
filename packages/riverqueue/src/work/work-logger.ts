/** The logger that handlers get: the client's, with the job attached to every entry. */
import type { JobRecord } from "../model/job-record.ts";
import type { LogAttributes, Logger, LogLevel, WorkLogFunction, WorkLogger } from "../kit/logger.ts";

/** Makes the logger of one attempt. Attributes of an entry cannot hide those of the job; IDs are text, as JSON has no bigint. */
export function workLogger(logger: Logger, job: Pick<JobRecord, "attempt" | "id" | "kind">): WorkLogger {
  const own = { jobId: String(job.id), jobKind: job.kind, attempt: job.attempt };
  const level = (name: LogLevel): WorkLogFunction => {
    return (attributes: LogAttributes | string, message?: string): void => {
      if (typeof attributes === "string") logger[name](own, attributes);
      else logger[name]({ ...attributes, ...own }, message ?? "");
    };
  };
  return Object.freeze({ debug: level("debug"), error: level("error"), info: level("info"), warn: level("warn") });
}
