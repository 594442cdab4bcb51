/**
 * Deletes old rows of the outbox, oldest first.
 *
 * - Parameters: 1 time, 2 limit. Result: none, the count of changes. Locks: the write lock.
 * - Index: `river_notification_created_at_idx`.
 */
export const DELETE_EXPIRED_NOTICES: string = `DELETE FROM river_notification WHERE id IN (
    SELECT id FROM river_notification WHERE created_at < ?1 ORDER BY created_at, id LIMIT ?2
  )`;
