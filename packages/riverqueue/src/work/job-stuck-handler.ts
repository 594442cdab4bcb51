/** Code of the application that is told about attempts which ignore their timeout. */

/** The attempt that is stuck. */
export interface JobStuckHandlerParams {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  /** Attempts of this client that are stuck now, this one included, over all queues. */
  readonly totalStuckJobs: number;
}

/** What a stuck handler may ask for. */
export interface JobStuckHandlerResult {
  /** True: the stuck attempt stops counting against `maxWorkers`, so that its queue may run one more. */
  readonly addWorkerSlot?: boolean | undefined;
}

/**
 * Called once for each attempt that runs on although its timeout and the client's `jobStuckThreshold` have passed. What it
 * throws, and an answer that is neither nothing nor a `JobStuckHandlerResult`, is logged as an error and changes nothing.
 */
export type JobStuckHandler = (
  params: JobStuckHandlerParams,
) => JobStuckHandlerResult | PromiseLike<JobStuckHandlerResult | void> | void;
