import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** A shutdown ended an attempt by force after it had ignored its signal. It counts as an attempt. */
export class JobAbortedError extends RiverError {
  static {
    this.prototype.name = "JobAbortedError";
  }

  declare readonly code: "job_aborted";
  readonly jobId: bigint;

  constructor(jobId: bigint, options: RiverErrorSubclassOptions = {}) {
    super("job aborted after ignoring cancellation", { ...options, code: RIVER_ERROR_CODE.jobAborted });
    this.jobId = jobId;
  }
}
