/**
 * Replaces a queue's metadata and bumps its `updated_at`.
 *
 * - Parameters: 1 name, 2 JSON text or null to leave it, 3 now. Result: `QUEUE_COLUMNS`. Locks: the write lock.
 * - Index: the primary key.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const UPDATE_QUEUE: string = `UPDATE river_queue SET
    metadata = CASE WHEN ?2 IS NULL THEN metadata ELSE jsonb(?2) END,
    updated_at = ?3
  WHERE name = ?1
  RETURNING ${QUEUE_COLUMNS}`;
