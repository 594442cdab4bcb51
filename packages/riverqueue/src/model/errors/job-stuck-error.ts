import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** An attempt goes on although its timeout and the stuck threshold after it have passed. */
export class JobStuckError extends RiverError {
  static {
    this.prototype.name = "JobStuckError";
  }

  declare readonly code: "job_stuck";
  readonly jobId: bigint;
  readonly timeout: Temporal.Duration;
  /** How long after the timeout the attempt was still running. */
  readonly threshold: Temporal.Duration;

  constructor(
    jobId: bigint,
    timeout: Temporal.Duration,
    threshold: Temporal.Duration,
    options: RiverErrorSubclassOptions = {},
  ) {
    super(`job ${jobId} still runs ${threshold.toString()} after its timeout of ${timeout.toString()}`, {
      ...options,
      code: RIVER_ERROR_CODE.jobStuck,
    });
    this.jobId = jobId;
    this.timeout = timeout;
    this.threshold = threshold;
  }
}
