import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** An attempt ran longer than its timeout: the reason its signal is aborted with. */
export class JobTimeoutError extends RiverError {
  static {
    this.prototype.name = "JobTimeoutError";
  }

  declare readonly code: "job_timeout";
  readonly jobId: bigint;
  readonly timeout: Temporal.Duration;

  constructor(jobId: bigint, timeout: Temporal.Duration, options: RiverErrorSubclassOptions = {}) {
    super(`job ${jobId} exceeded its timeout of ${timeout.toString()}`, {
      ...options,
      code: RIVER_ERROR_CODE.jobTimeout,
    });
    this.jobId = jobId;
    this.timeout = timeout;
  }
}
