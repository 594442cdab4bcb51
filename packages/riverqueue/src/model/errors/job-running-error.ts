import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** The operation is refused while the job runs, as deleting it is. */
export class JobRunningError extends RiverError {
  static {
    this.prototype.name = "JobRunningError";
  }

  declare readonly code: "job_running";
  readonly jobId: bigint;

  constructor(jobId: bigint, options: RiverErrorSubclassOptions = {}) {
    super(`job ${jobId} is running`, { ...options, code: RIVER_ERROR_CODE.jobRunning });
    this.jobId = jobId;
  }
}
