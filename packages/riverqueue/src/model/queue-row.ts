/** A row of `river_queue`: the registry of queues with their pause flag. Jobs may use queues that have no row. */
import type { JsonObject } from "../json/json-value.ts";

/** A queue as applications see it. A column that holds something unreadable throws a `DatabaseOperationError` when it is looked at. */
export interface QueueRow {
  readonly name: string;
  readonly metadata: JsonObject;
  readonly createdAt: Temporal.Instant;
  /** Last heartbeat of a client that works the queue, or last change of the row. */
  readonly updatedAt: Temporal.Instant;
  /** Since when the queue is paused; null while it is worked. */
  readonly pausedAt: Temporal.Instant | null;
}

/**
 * A queue as a driver hands it over: metadata is JSON text of an object. Drivers implement it with lazy getters: one whose
 * column holds something unreadable throws and names the queue. `name` and `isPaused` never throw.
 */
export interface QueueRecord {
  readonly name: string;
  readonly metadata: string;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
  readonly pausedAt: Temporal.Instant | null;
  /** Whether there is a `pausedAt`, readable or not. */
  readonly isPaused: boolean;
}
