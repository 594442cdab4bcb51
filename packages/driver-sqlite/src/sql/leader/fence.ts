/**
 * Whether a term is the present one.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now. Result: one row if it is. Index: the table has at most one row.
 * - Locks: none of its own; the caller holds the write lock, so the answer stays true until its commit.
 * - Differs because elected times are compared as numbers: older clients wrote fewer digits.
 */
export const FENCE: string = `SELECT 1 FROM river_leader
  WHERE leader_id = ?1 AND unixepoch(elected_at, 'subsec') = unixepoch(?2, 'subsec') AND expires_at >= ?3`;
