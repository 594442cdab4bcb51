/** IDs of jobs as a placeholder takes them, and as a statement that returns nothing else answers them. */
import type { PgRow } from "../connection/pg-connection.ts";

/** The array as text for a placeholder. */
export function formatIds(ids: readonly bigint[]): string {
  return `{${ids.join(",")}}`;
}

/** The first column of each row. */
export function idsOf(rows: readonly PgRow[]): bigint[] {
  return rows.map(([id]) => BigInt(id ?? 0));
}
