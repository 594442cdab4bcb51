/**
 * A page of queue rows.
 *
 * - Parameters: 1 name to go on after ('' for the start), 2 limit. Result: `queueColumns` by name. Locks: none.
 * - Index: none where the database has a locale; the table has one row a queue.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { BY_NAME, queueColumns } from "./columns.ts";

export const LIST_QUEUES: SqlTemplate = (d) => `SELECT ${queueColumns(d)} FROM ${d.prefix}river_queue AS queue
  WHERE ${BY_NAME} > $1::text ORDER BY ${BY_NAME} LIMIT $2::bigint`;
