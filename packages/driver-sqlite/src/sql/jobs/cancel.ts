/**
 * Cancels a job that is not finalized; a running one is only marked.
 *
 * - Parameters: 1 ID, 2 now, 3 mark (RFC 3339 text).
 * - Result: `JOB_COLUMNS` of a changed row; none when the row is missing or finalized.
 * - Locks: the write lock. Index: the primary key.
 * - Fails with a unique violation when `cancelled` is in the row's mask, its present state is not, and another row
 *   holds the key.
 */
import { JOB_COLUMNS, markedMetadata } from "./columns.ts";

export const CANCEL: string = `UPDATE river_job SET
    state = CASE state WHEN 'running' THEN state ELSE 'cancelled' END,
    finalized_at = CASE state WHEN 'running' THEN finalized_at ELSE ?2 END,
    metadata = ${markedMetadata("?3")}
  WHERE id = ?1 AND state NOT IN ('cancelled', 'completed', 'discarded')
  RETURNING ${JOB_COLUMNS}`;
