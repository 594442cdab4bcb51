/**
 * Pauses a queue, or every queue for `*`. The time of the first pause stays.
 *
 * - Parameters: 1 name or `*`, 2 now. Result: `QUEUE_COLUMNS`. Locks: the write lock. Index: the primary key, or a scan.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const PAUSE: string = `UPDATE river_queue SET
    paused_at = coalesce(paused_at, ?2),
    updated_at = CASE WHEN paused_at IS NULL THEN ?2 ELSE updated_at END
  WHERE ?1 IN ('*', name)
  RETURNING ${QUEUE_COLUMNS}`;
