/**
 * Deletes one job unless it is running.
 *
 * - Parameters: 1 ID. Result: `JOB_COLUMNS` as they were. Locks: the write lock. Index: the primary key.
 */
import { JOB_COLUMNS } from "./columns.ts";

export const DELETE: string = `DELETE FROM river_job WHERE id = ?1 AND state <> 'running' RETURNING ${JOB_COLUMNS}`;
