/**
 * Reads one job.
 *
 * - Parameters: 1 ID. Result: `JOB_COLUMNS`, or no row. Locks: none. Index: the primary key.
 */
import { JOB_COLUMNS } from "./columns.ts";

export const GET: string = `SELECT ${JOB_COLUMNS} FROM river_job WHERE id = ?1`;
