/**
 * Reads queue rows by name.
 *
 * - Parameters: 1 JSON array of names. Result: `QUEUE_COLUMNS` by name. Locks: none. Index: the primary key.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const GET_QUEUES: string = `SELECT ${QUEUE_COLUMNS} FROM river_queue
  WHERE name IN (SELECT value FROM json_each(?1)) ORDER BY name`;
