/** The logger that handlers get: the client's, with the job attached to every entry. */
import type { LogAttributes, Logger, LogLevel, WorkLogFunction, WorkLogger } from "../kit/logger.ts";
import type { JobRecord } from "../model/job-record.ts";
import { loggableJob } from "../model/loggable-job.ts";

/** Makes the logger of one attempt. Attributes of an entry cannot hide those of the job. */
export function workLogger(logger: Logger, job: Pick<JobRecord, "attempt" | "id" | "kind">): WorkLogger {
  const own = loggableJob(job);
  const level = (name: LogLevel): WorkLogFunction => {
    return (attributes: LogAttributes | string, message?: string): void => {
      if (typeof attributes === "string") logger[name](own, attributes);
      else logger[name]({ ...attributes, ...own }, message ?? "");
    };
  };
  return Object.freeze({ debug: level("debug"), error: level("error"), info: level("info"), warn: level("warn") });
}
