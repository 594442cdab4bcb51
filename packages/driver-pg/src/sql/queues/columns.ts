/** Fragments that statements on `river_queue` share. */
import { readable, type Dialect } from "../../connection/dialect.ts";

/** The columns of a queue in the order that `queueRecord` reads. */
export function queueColumns(d: Dialect): string {
  return ["name", "metadata", "created_at", "updated_at", "paused_at"]
    .map((column) => readable(d, `queue.${column}`, column))
    .join(", ");
}

/** Names sort by their bytes, on every database and in every locale. */
export const BY_NAME = 'queue.name COLLATE "C"';
