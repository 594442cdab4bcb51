/**
 * Reads queue rows by name.
 *
 * - Parameters: 1 names. Result: `queueColumns` by name. Locks: none. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { BY_NAME, queueColumns } from "./columns.ts";

export const GET_QUEUES: SqlTemplate = (d) => `SELECT ${queueColumns(d)} FROM ${d.prefix}river_queue AS queue
  WHERE queue.name = ANY ($1::text[]) ORDER BY ${BY_NAME}`;
