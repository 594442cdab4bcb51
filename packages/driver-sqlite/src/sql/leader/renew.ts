/**
 * Prolongs a term unless it has expired.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now, 4 new expiry. Result: the term, or nothing when it is over.
 * - Locks: the write lock. Index: the table has at most one row.
 */
import { TERM_COLUMNS } from "./columns.ts";

export const RENEW: string = `UPDATE river_leader SET expires_at = ?4
  WHERE leader_id = ?1 AND unixepoch(elected_at, 'subsec') = unixepoch(?2, 'subsec') AND expires_at >= ?3
  RETURNING ${TERM_COLUMNS}`;
