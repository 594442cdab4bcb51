/** A queue as read from its row. The registry is small and read rarely, so nothing is left for later. */
import { DatabaseOperationError, type QueueRecord } from "riverqueue/driver";
import type { SqliteRow } from "../connection/sqlite-connection.ts";
import { parseTime } from "./canonical-time.ts";

/** `row` holds `QUEUE_COLUMNS`. @throws DatabaseOperationError when a column cannot be read. */
export function queueRecord(row: SqliteRow): QueueRecord {
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

function time(column: string, value: unknown): Temporal.Instant {
  const instant = typeof value === "string" ? parseTime(value) : null;
  if (instant === null) throw unreadable(column);
  return instant;
}

function unreadable(column: string): DatabaseOperationError {
  return new DatabaseOperationError(`river_queue.${column} of a queue cannot be read`, {
    backend: "sqlite",
    operation: "queues.read",
    details: { column, reason: "malformed", rowCaused: true },
  });
}
