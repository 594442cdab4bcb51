/**
 * Ends a term and tells of it.
 *
 * - Parameters: 1 leader ID, 2 elected time.
 * - Result: the number of rows deleted. Locks: the one row. Index: the table has at most one row.
 * - Differs because the notice is written by the statement, as the other clients do.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const RESIGN: SqlTemplate = (d) => {
  const payload = "json_build_object('leader_id', $1::text, 'action', 'resigned')::text";
  const notice = d.notifies ? `pg_notify(${d.schema} || '.river_leadership', ${payload})::text` : "NULL::text";
  return `WITH ended AS (
    DELETE FROM ${d.prefix}river_leader AS term
    WHERE term.leader_id = $1::text AND term.elected_at = $2::timestamptz RETURNING 1
  ), notified AS MATERIALIZED (SELECT ${notice} AS sent FROM ended)
  SELECT (SELECT count(*) FROM ended)::text AS ended, (SELECT count(*) FROM notified)::text AS notified`;
};
