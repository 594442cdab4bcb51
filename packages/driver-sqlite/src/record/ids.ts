/** IDs of jobs as a statement takes them, and as one that returns nothing else answers them. */
import type { SqliteRow } from "../connection/sqlite-connection.ts";

/** The array as JSON text. */
export function formatIds(ids: readonly bigint[]): string {
  return `[${ids.join(",")}]`;
}

/** The first column of each row. */
export function idsOf(rows: readonly SqliteRow[]): bigint[] {
  return rows.map(([id]) => id as bigint);
}
