/**
 * Deletes rows of queues that no client has kept alive.
 *
 * - Parameters: 1 time, 2 limit. Result: none, the count of changes. Locks: the write lock. Index: the primary key gives
 *   the order; the table has one row a queue.
 * - `EXPIRED_QUEUES` and `DELETE_QUEUES` do it in two steps, for tables with rows that cannot be deleted.
 */
export const DELETE_EXPIRED_QUEUES: string = `DELETE FROM river_queue WHERE name IN (
    SELECT name FROM river_queue WHERE updated_at < ?1 ORDER BY name LIMIT ?2
  )`;

/** Names of old rows in order. Parameters as above, also 3 name to go on after, 4 JSON array of names to leave out. */
export const EXPIRED_QUEUES: string = `SELECT name FROM river_queue
  WHERE updated_at < ?1 AND name > ?3 AND name NOT IN (SELECT value FROM json_each(?4)) ORDER BY name LIMIT ?2`;

/** Deletes rows by name as far as they are still old. Parameters as above, but 2 is a JSON array of the names. */
export const DELETE_QUEUES: string = `DELETE FROM river_queue
  WHERE updated_at < ?1 AND name IN (SELECT value FROM json_each(?2))`;
