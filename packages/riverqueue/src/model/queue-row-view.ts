/** Queues on top of what a driver read. */
import { parseJsonObject } from "../json/parse-json.ts";
import type { QueueRecord, QueueRow } from "./queue-row.ts";

/** A queue made of a driver's record. Frozen; prints its times as text. */
export function queueRowOf({ name, metadata, createdAt, updatedAt, pausedAt }: QueueRecord): QueueRow {
  const row = { name, metadata: parseJsonObject(metadata), createdAt, updatedAt, pausedAt };
  Object.defineProperty(row, Symbol.for("nodejs.util.inspect.custom"), { value: printable });
  return Object.freeze(row);
}

/** Node prints a Temporal value as an empty object. */
function printable(this: QueueRow): object {
  const [createdAt, updatedAt] = [this.createdAt.toString(), this.updatedAt.toString()];
  return { ...this, createdAt, updatedAt, pausedAt: this.pausedAt?.toString() ?? null };
}
