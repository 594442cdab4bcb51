/**
 * Sends notices at the commit.
 *
 * - Parameters: 1 JSON array of [topic, payload]. Result: one row a notice. Locks: at the commit, one for all sessions of
 *   the server that notify.
 * - Differs because Postgres has channels: their names are schema, dot, topic.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";

/**
 * A query that sends the notices of a placeholder, for use in a materialized `WITH`, where it runs only if its rows are
 * asked for. On a server that cannot notify it sends nothing.
 */
export function notify(d: Dialect, placeholder: string, condition = "true"): string {
  const source = `json_array_elements(${placeholder}::json) AS notice (entry)`;
  if (!d.notifies) return `SELECT NULL::text AS sent FROM ${source} WHERE false`;
  return `SELECT pg_notify(${d.schema} || '.' || (entry ->> 0), entry ->> 1)::text AS sent FROM ${source} WHERE ${condition}`;
}

export const SEND_NOTICES: SqlTemplate = (d) => notify(d, "$1");
