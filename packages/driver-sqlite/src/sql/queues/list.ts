/**
 * A page of queue rows.
 *
 * - Parameters: 1 name to go on after ('' for the start), 2 limit. Result: `QUEUE_COLUMNS` by name. Locks: none.
 * - Index: the primary key.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const LIST_QUEUES: string = `SELECT ${QUEUE_COLUMNS} FROM river_queue WHERE name > ?1 ORDER BY name LIMIT ?2`;
