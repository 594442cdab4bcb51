/**
 * Replaces the metadata of one job by an already merged object.
 *
 * - Parameters: 1 ID, 2 JSON text. Result: `JOB_COLUMNS`. Locks: the write lock. Index: the primary key.
 * - Differs because SQLite merges JSON only recursively; the caller merges the top level.
 */
import { JOB_COLUMNS } from "./columns.ts";

export const UPDATE_METADATA: string = `UPDATE river_job SET metadata = jsonb(?2) WHERE id = ?1 RETURNING ${JOB_COLUMNS}`;
