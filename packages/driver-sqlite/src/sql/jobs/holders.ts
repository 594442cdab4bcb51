/**
 * Rows that occupy unique keys.
 *
 * - Parameters: 1 JSON array of keys in hexadecimal.
 * - Result: `JOB_COLUMNS` of at most one row a key.
 * - Locks: none of its own; the caller holds the write lock until it has acted on the answer.
 * - Index: `river_job_unique_idx`.
 */
import { HOLDS_UNIQUE_KEY, JOB_COLUMNS } from "./columns.ts";

export const HOLDERS: string = `SELECT ${JOB_COLUMNS} FROM river_job
  WHERE unique_key IN (SELECT unhex(value) FROM json_each(?1)) AND ${HOLDS_UNIQUE_KEY}`;

/** The ID of another row that occupies the unique key of job 1. */
export const OTHER_HOLDER: string = `SELECT id FROM river_job
  WHERE unique_key = (SELECT unique_key FROM river_job WHERE id = ?1) AND id <> ?1 AND ${HOLDS_UNIQUE_KEY}`;
