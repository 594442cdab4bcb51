/**
 * Ends a term and tells of it.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 JSON array of [topic, payload], sent only if the term held.
 * - Result: the number of rows deleted. Locks: the one row. Index: the table has at most one row.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { notify } from "../notices/send.ts";

export const RESIGN: SqlTemplate = (d) => `WITH ended AS (
    DELETE FROM ${d.prefix}river_leader AS term
    WHERE term.leader_id = $1::text AND term.elected_at = $2::timestamptz RETURNING 1
  ), notified AS MATERIALIZED (${notify(d, "$3", "EXISTS (SELECT 1 FROM ended)")})
  SELECT (SELECT count(*) FROM ended)::text AS ended, (SELECT count(*) FROM notified)::text AS notified`;
