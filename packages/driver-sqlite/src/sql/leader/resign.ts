/**
 * Ends a term.
 *
 * - Parameters: 1 leader ID, 2 elected time. Result: none, the count of changes. Locks: the write lock.
 * - Index: the table has at most one row.
 */
export const RESIGN: string = `DELETE FROM river_leader
  WHERE leader_id = ?1 AND unixepoch(elected_at, 'subsec') = unixepoch(?2, 'subsec')`;
