/**
 * Prolongs a term unless it has expired.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 length in milliseconds, 4 now or null. Result: the term, or nothing.
 * - Locks: the one row. Index: the table has at most one row.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { termColumns } from "./columns.ts";

export const RENEW: SqlTemplate = (d) => `UPDATE ${d.prefix}river_leader AS term
  SET expires_at = coalesce($4::timestamptz, now()) + $3::double precision * interval '1 millisecond'
  WHERE term.leader_id = $1::text AND term.elected_at = $2::timestamptz
    AND term.expires_at >= coalesce($4::timestamptz, now())
  RETURNING ${termColumns(d)}`;
