/** When a failed job runs again. */
import type { JobRow } from "../model/job-row.ts";

/**
 * Chooses when a job whose attempt failed runs again. `job` is the row as claimed, so the failure at hand is not among
 * its `errors`. When it throws, or returns no time of the years 1 to 9999, the next policy is asked; a time before `now`
 * is replaced by the built-in policy's.
 */
export type RetryPolicy<Job extends JobRow<unknown> = JobRow> = (job: Job, now: Temporal.Instant) => Temporal.Instant;
