/**
 * Ends one stuck attempt.
 *
 * - `STUCK_ROW`: 1 ID, 2 horizon; `JOB_COLUMNS` unless the row left `running` or was claimed again since.
 * - `RESCUE`: 1 ID, 2 state, 3 finalized time or null, 4 scheduled time or null to leave it, 5 error entry, 6 whole new
 *   metadata or null to leave it.
 * - Locks: the write lock; all rows of one call are one transaction. Index: the primary key.
 */
import { appendedErrors, JOB_COLUMNS } from "./columns.ts";

export const STUCK_ROW: string = `SELECT ${JOB_COLUMNS} FROM river_job
  WHERE id = ?1 AND state = 'running' AND attempted_at < ?2`;

export const RESCUE: string = `UPDATE river_job SET
    state = ?2,
    finalized_at = ?3,
    scheduled_at = coalesce(?4, scheduled_at),
    errors = ${appendedErrors("?5")},
    metadata = CASE WHEN ?6 IS NULL THEN metadata ELSE jsonb(?6) END
  WHERE id = ?1`;
