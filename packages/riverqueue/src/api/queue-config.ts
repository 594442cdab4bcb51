/** Configuration of one queue that a client works. */
import type { DurationInput } from "../options/duration-input.ts";

/** Capacity and pacing of one queue. */
export interface QueueConfig {
  /** Handlers running at the same time, 1 to 10,000. Concurrency for I/O, not threads. */
  readonly maxWorkers: number;
  /** Shortest time between two claims; at least 1 ms; the client's `fetchCooldown` unless set. */
  readonly fetchCooldown?: DurationInput | undefined;
  /** Longest time between two claims, plus up to a tenth; default 1 s, not below the cool-down. */
  readonly pollInterval?: DurationInput | undefined;
}
