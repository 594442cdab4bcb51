/**
 * Writes ends of attempts.
 *
 * - Locks: the write lock; all statements of one call are one transaction.
 * - Index: the primary key. The unary plus keeps SQLite from walking every `running` row instead.
 * - Differs because an `UPDATE` cannot be nested: rows that the fast statements do not return are looked at one by one.
 */
import { appendedErrors, HAS_CANCEL_MARK, JOB_COLUMNS, LAST_CLIENT } from "./columns.ts";

const ENDED = `WITH ended AS MATERIALIZED (
    SELECT CAST(key AS INTEGER) AS id, value AS at FROM json_each(?1)
  )`;

// A row whose list of clients was damaged while it ran is owned by its attempt number alone.
const OWNED = `+river_job.state = 'running' AND attempt = ?2
    AND CASE WHEN json_valid(attempted_by, 10) AND json_type(attempted_by) = 'array'
      THEN attempted_by ->> '$[#-1]' = ?3 ELSE 1 END`;

function complete(returning: string): string {
  return `${ENDED}
  UPDATE river_job SET state = 'completed', finalized_at = ended.at
  FROM ended
  WHERE river_job.id = ended.id AND ${OWNED}
  RETURNING ${returning}`;
}

/** Completes owned attempts. 1 JSON object of ID → finalized time, 2 attempt, 3 client ID. Returns the IDs written. */
export const COMPLETE: string = complete("river_job.id");

/** The same, returning `JOB_COLUMNS`. */
export const COMPLETE_RETURNING_ROWS: string = complete(JOB_COLUMNS);

/** Deletes rows of owned attempts. The parameters of `COMPLETE`. Returns the IDs deleted. */
export const COMPLETE_DELETING: string = `DELETE FROM river_job
  WHERE id IN (SELECT CAST(key AS INTEGER) FROM json_each(?1)) AND ${OWNED}
  RETURNING id`;

/**
 * One row with what decides about its settlement. 1 ID. Returns `JOB_COLUMNS`, last client, whether a readable list of
 * clients names one, whether it carries a cancel mark.
 */
export const SETTLING_ROW: string = `SELECT ${JOB_COLUMNS}, ${LAST_CLIENT},
    CASE WHEN json_valid(attempted_by, 10) THEN json_type(attempted_by) = 'array' ELSE 0 END, ${HAS_CANCEL_MARK}
  FROM river_job WHERE id = ?1`;

/**
 * Writes one owned row. 1 ID, 2 state, 3 attempt or null, 4 finalized time or null, 5 scheduled time or null to leave
 * it, 6 error entry or null, 7 whole new metadata or null to leave it. Returns `JOB_COLUMNS`.
 */
export const SETTLE_ONE: string = `UPDATE river_job SET
    state = ?2,
    attempt = coalesce(?3, attempt),
    finalized_at = ?4,
    scheduled_at = coalesce(?5, scheduled_at),
    errors = CASE WHEN ?6 IS NULL THEN errors ELSE ${appendedErrors("?6")} END,
    metadata = CASE WHEN ?7 IS NULL THEN metadata ELSE jsonb(?7) END
  WHERE id = ?1
  RETURNING ${JOB_COLUMNS}`;

/** Deletes one row. 1 ID. */
export const DELETE_SETTLED = "DELETE FROM river_job WHERE id = ?1";
