/**
 * Ends the pause of a queue, or of every queue for `*`.
 *
 * - Parameters: 1 name or `*`, 2 now. Result: `QUEUE_COLUMNS`. Locks: the write lock. Index: the primary key, or a scan.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const RESUME: string = `UPDATE river_queue SET
    paused_at = NULL,
    updated_at = CASE WHEN paused_at IS NULL THEN updated_at ELSE ?2 END
  WHERE ?1 IN ('*', name)
  RETURNING ${QUEUE_COLUMNS}`;
