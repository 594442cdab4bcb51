/**
 * Makes a job available now, without the mark of a cancellation that this takes back.
 *
 * - Parameters: 1 ID, 2 now.
 * - Result: `JOB_COLUMNS` of a changed row; none when it is missing, running, or available and due already.
 * - Locks: the write lock. Index: the primary key.
 * - Fails with a unique violation when another row holds the key.
 */
import { JOB_COLUMNS, UNMARKED_METADATA } from "./columns.ts";

export const RETRY: string = `UPDATE river_job SET
    state = 'available',
    scheduled_at = ?2,
    finalized_at = NULL,
    max_attempts = CASE WHEN attempt = max_attempts THEN max_attempts + 1 ELSE max_attempts END,
    metadata = ${UNMARKED_METADATA}
  WHERE id = ?1 AND state <> 'running' AND (state <> 'available' OR scheduled_at > ?2)
  RETURNING ${JOB_COLUMNS}`;
