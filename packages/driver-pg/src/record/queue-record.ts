/** A queue on top of its row. Columns are read when they are looked at, so that a damaged one spoils no list. */
import { DatabaseOperationError, type QueueRecord } from "riverqueue/driver";
import type { PgRow } from "../connection/pg-connection.ts";
import { parseTime } from "./pg-time.ts";

/** A getter whose column holds something unreadable throws a `DatabaseOperationError` that names the queue. */
class PgQueueRecord implements QueueRecord {
  readonly #row: PgRow;

  constructor(row: PgRow) {
    this.#row = row;
  }

  get name(): string {
    return String(this.#row[0]);
  }

  get metadata(): string {
    const value = this.#row[1];
    return typeof value === "string" && value.startsWith("{") ? value : this.#unreadable("metadata");
  }

  get createdAt(): Temporal.Instant {
    return this.#time("created_at", this.#row[2]);
  }

  get updatedAt(): Temporal.Instant {
    return this.#time("updated_at", this.#row[3]);
  }

  get pausedAt(): Temporal.Instant | null {
    return this.isPaused ? this.#time("paused_at", this.#row[4]) : null;
  }

  get isPaused(): boolean {
    return this.#row[4] !== null;
  }

  #time(column: string, value: string | null | undefined): Temporal.Instant {
    return (typeof value === "string" ? parseTime(value) : null) ?? this.#unreadable(column);
  }

  #unreadable(column: string): never {
    throw new DatabaseOperationError(`river_queue.${column} of queue ${JSON.stringify(this.name)} cannot be read`, {
      backend: "postgres",
      operation: "queues.read",
      details: { column, queue: this.name, reason: "malformed", rowCaused: true },
    });
  }
}

/** `row` holds `queueColumns`. */
export function queueRecord(row: PgRow): QueueRecord {
  return new PgQueueRecord(row);
}
