import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** Somebody cancelled the job while it ran: the reason its signal is aborted with. */
export class JobCancelledError extends RiverError {
  static {
    this.prototype.name = "JobCancelledError";
  }

  declare readonly code: "job_cancelled";
  readonly jobId: bigint;

  constructor(jobId: bigint, options: RiverErrorSubclassOptions = {}) {
    super("job cancelled remotely", { ...options, code: RIVER_ERROR_CODE.jobCancelled });
    this.jobId = jobId;
  }
}
