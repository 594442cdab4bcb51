/** The intervals of a fleet, divided by the scale of the test run. */

/** See the file header; durations in milliseconds. */
export interface FleetTiming {
  readonly jobTimeoutMs: number;
  readonly rescueAfterMs: number;
  readonly rescuerIntervalMs: number;
  readonly electionIntervalMs: number;
  readonly schedulerIntervalMs: number;
  /** A lease outlives its leader by no more than this. */
  readonly leaseMs: number;
  /** Longest work of a handler that is not meant to be late. */
  readonly longestWorkMs: number;
  /** Longest time until a snoozed or failed job runs again. */
  readonly longestDelayMs: number;
}

/** @param scale - divisor, 1 for the real intervals. */
export function fleetTiming(scale: number): FleetTiming {
  return {
    jobTimeoutMs: 2_000 / scale,
    rescueAfterMs: 3_000 / scale,
    rescuerIntervalMs: 1_000 / scale,
    electionIntervalMs: 5_000 / scale,
    schedulerIntervalMs: 5_000 / scale,
    leaseMs: 15_000 / scale,
    longestWorkMs: 200 / scale,
    longestDelayMs: 8_000 / scale,
  };
}
