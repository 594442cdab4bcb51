/**
 * Reads the outbox.
 *
 * - `LAST_NOTICE`: no parameters; the greatest ID, 0 when the outbox is empty.
 * - `READ_NOTICES`: 1 ID to go on after, 2 last ID, 3 JSON array of topics, 4 limit; ID, topic, payload by ID.
 * - Locks: none. Index: the primary key. The single writer makes IDs visible in order, so none is missed.
 */
export const LAST_NOTICE = "SELECT coalesce(max(id), 0) FROM river_notification";

export const READ_NOTICES: string = `SELECT id, topic, payload FROM river_notification
  WHERE id > ?1 AND id <= ?2 AND +topic IN (SELECT value FROM json_each(?3)) ORDER BY id LIMIT ?4`;

/** Changes whenever another connection has committed. */
export const DATA_VERSION = "PRAGMA data_version";
