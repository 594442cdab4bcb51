/** Measurements that `onMetric` hooks and the `riverqueue:metric` diagnostics channel receive. */

/** How long a successful claim took. */
export interface JobGetAvailableDurationMetric {
  readonly name: "job_get_available_duration";
  readonly duration: Temporal.Duration;
  readonly queue: string;
}

/** How many jobs a successful claim returned, zero included. */
export interface JobGetAvailableCountMetric {
  readonly name: "job_get_available_count";
  readonly count: number;
  readonly queue: string;
}

/** Completions that were requeued after transient failures, or dropped. */
export interface JobCompletionMetric {
  readonly name: "job_completion_requeued" | "job_completion_dropped";
  readonly count: number;
}

/**
 * Completions that were stored with a note in place of a value that the database refuses.
 *
 * @addition
 */
export interface JobCompletionDegradedMetric {
  readonly name: "job_completion_degraded";
  readonly count: number;
}

/** Any metric, told apart by `name`. */
export type RiverMetric =
  | JobGetAvailableDurationMetric
  | JobGetAvailableCountMetric
  | JobCompletionMetric
  | JobCompletionDegradedMetric;
