/** How long jobs waited, sorted into buckets. The columns of `river_fleet_minute` are these, so they may only be added to. */

/** One bucket: jobs that waited longer than the bucket before allows, and no longer than this one. */
export interface LatencyBucket {
  /** Column that counts it. */
  readonly column: string;
  /** Longest wait in milliseconds; null for the last one, which has no end. */
  readonly upToMs: number | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Ascending. */
export const LATENCY_BUCKETS: readonly LatencyBucket[] = Object.freeze([
  { column: "latency_10ms", upToMs: 10 },
  { column: "latency_50ms", upToMs: 50 },
  { column: "latency_100ms", upToMs: 100 },
  { column: "latency_500ms", upToMs: 500 },
  { column: "latency_1s", upToMs: SECOND },
  { column: "latency_5s", upToMs: 5 * SECOND },
  { column: "latency_15s", upToMs: 15 * SECOND },
  { column: "latency_1m", upToMs: MINUTE },
  { column: "latency_5m", upToMs: 5 * MINUTE },
  { column: "latency_1h", upToMs: 60 * MINUTE },
  { column: "latency_more", upToMs: null },
]);

/** Position of the bucket for a wait of `ms` milliseconds; a negative one, from clocks that differ, counts as none. */
export function latencyBucketOf(ms: number): number {
  return LATENCY_BUCKETS.findIndex(({ upToMs }) => upToMs === null || ms <= upToMs);
}
