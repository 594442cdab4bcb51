/**
 * Writes notices to the outbox.
 *
 * - Parameters: 1 JSON array of [topic, payload], 2 now.
 * - Result: none. Locks: the write lock. Index: none.
 */
export const SEND_NOTICES: string = `INSERT INTO river_notification (topic, payload, created_at)
  SELECT value ->> 0, value ->> 1, ?2 FROM json_each(?1)`;
