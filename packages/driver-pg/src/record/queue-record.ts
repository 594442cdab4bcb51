/** A queue as read from its row. The registry is small and read rarely, so nothing is left for later. */
import { DatabaseOperationError, type QueueRecord } from "riverqueue/driver";
import type { PgRow } from "../connection/pg-connection.ts";
import { parseTime } from "./pg-time.ts";

/** `row` holds `queueColumns`. @throws DatabaseOperationError when a column cannot be read. */
export function queueRecord(row: PgRow): QueueRecord {
  const [name, metadata, createdAt, updatedAt, pausedAt] = row;
  if (typeof name !== "string") throw unreadable("name");
  if (typeof metadata !== "string" || !metadata.startsWith("{")) throw unreadable("metadata");
  return {
    name,
    metadata,
    createdAt: time("created_at", createdAt),
    updatedAt: time("updated_at", updatedAt),
    pausedAt: pausedAt === null ? null : time("paused_at", pausedAt),
  };
}

function time(column: string, value: string | null | undefined): Temporal.Instant {
  const instant = typeof value === "string" ? parseTime(value) : null;
  if (instant === null) throw unreadable(column);
  return instant;
}

function unreadable(column: string): DatabaseOperationError {
  return new DatabaseOperationError(`river_queue.${column} of a queue cannot be read`, {
    backend: "postgres",
    operation: "queues.read",
    details: { column, reason: "malformed", rowCaused: true },
  });
}
