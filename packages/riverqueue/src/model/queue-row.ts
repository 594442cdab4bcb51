/** A row of `river_queue`: the registry of queues with their pause flag. Jobs may use queues that have no row. */
import type { JsonObject } from "../json/json-value.ts";

/** A queue as applications see it. */
export interface QueueRow {
  readonly name: string;
  readonly metadata: JsonObject;
  readonly createdAt: Temporal.Instant;
  /** Last heartbeat of a client that works the queue, or last change of the row. */
  readonly updatedAt: Temporal.Instant;
  /** Since when the queue is paused; null while it is worked. */
  readonly pausedAt: Temporal.Instant | null;
}

/** A queue as a driver hands it over: metadata is JSON text of an object. */
export interface QueueRecord {
  readonly name: string;
  readonly metadata: string;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
  readonly pausedAt: Temporal.Instant | null;
}
