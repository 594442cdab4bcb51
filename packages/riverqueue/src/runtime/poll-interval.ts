/** The wait between two polls: varied upwards so that producers do not query in step. */

/** Width of the range of the extra wait is at least this, in milliseconds. */
const LEAST_JITTER_RANGE_MS = 10;

/** The interval plus a random extra below a tenth of it, drawn from a range of at least 10 ms. */
export function jitteredPollInterval(intervalMs: number, random: () => number): number {
  return intervalMs + random() * Math.max(intervalMs / 10, LEAST_JITTER_RANGE_MS);
}
