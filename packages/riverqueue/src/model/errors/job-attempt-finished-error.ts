import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** The attempt has ended: the reason of its signal from then on, and what `completeTx` throws for a lost row. */
export class JobAttemptFinishedError extends RiverError {
  static {
    this.prototype.name = "JobAttemptFinishedError";
  }

  declare readonly code: "job_attempt_finished";
  readonly jobId: bigint;

  constructor(jobId: bigint, options: RiverErrorSubclassOptions = {}) {
    super(`the attempt of job ${jobId} has finished`, { ...options, code: RIVER_ERROR_CODE.jobAttemptFinished });
    this.jobId = jobId;
  }
}
