/**
 * Deletes rows of queues that no client has kept alive.
 *
 * - Parameters: 1 time, 2 limit. Result: none, the count of changes. Locks: the write lock. Index: the primary key gives
 *   the order; the table has one row a queue.
 */
export const DELETE_EXPIRED_QUEUES: string = `DELETE FROM river_queue WHERE name IN (
    SELECT name FROM river_queue WHERE updated_at < ?1 ORDER BY name LIMIT ?2
  )`;
