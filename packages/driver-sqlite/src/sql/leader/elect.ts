/**
 * Starts a term unless there is one.
 *
 * - `DELETE_EXPIRED_TERM`: 1 now. `ELECT`: 1 leader ID, 2 now, 3 expiry; returns the new term, or nothing.
 * - Locks: the write lock; both are one transaction. Index: the table has at most one row.
 */
import { TERM_COLUMNS } from "./columns.ts";

export const DELETE_EXPIRED_TERM = "DELETE FROM river_leader WHERE expires_at < ?1";

export const ELECT: string = `INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES (?1, ?2, ?3)
  ON CONFLICT (name) DO NOTHING
  RETURNING ${TERM_COLUMNS}`;
