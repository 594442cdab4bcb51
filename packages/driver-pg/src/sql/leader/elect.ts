/**
 * Starts a term unless one holds; an expired one is replaced.
 *
 * - Parameters: 1 leader ID, 2 length in milliseconds, 3 now or null. Result: the new term, or nothing.
 * - Locks: the one row. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { termColumns } from "./columns.ts";

export const ELECT: SqlTemplate = (
  d,
) => `INSERT INTO ${d.prefix}river_leader AS term (leader_id, elected_at, expires_at)
  SELECT $1::text, moment.at, moment.at + $2::double precision * interval '1 millisecond'
  FROM (SELECT coalesce($3::timestamptz, now()) AS at) AS moment
  ON CONFLICT (name) DO UPDATE SET
    leader_id = excluded.leader_id, elected_at = excluded.elected_at, expires_at = excluded.expires_at
  WHERE term.expires_at < excluded.elected_at
  RETURNING ${termColumns(d)}`;
