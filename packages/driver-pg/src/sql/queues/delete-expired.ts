/**
 * Deletes rows of queues that no client has kept alive.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4 time, 5 limit.
 * - Result: whether the term holds, and the number of rows deleted. Locks: the rows; locked ones are left.
 * - Index: the table has one row a queue.
 * - `EXPIRED_QUEUES` and `DELETE_QUEUES` do it in two steps, for tables with rows that cannot be deleted.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";
import { BY_NAME } from "./columns.ts";

function fencedDeletion(d: Dialect, which: string): string {
  return `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), held AS MATERIALIZED (
    SELECT queue.name FROM ${d.prefix}river_queue AS queue
    WHERE queue.updated_at < $4::timestamptz AND (SELECT holds FROM fence)
    ${which} FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM ${d.prefix}river_queue AS queue USING held WHERE queue.name = held.name RETURNING 1
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM deleted)::text AS deleted`;
}

export const DELETE_EXPIRED_QUEUES: SqlTemplate = (d) => fencedDeletion(d, `ORDER BY ${BY_NAME} LIMIT $5::bigint`);

/** Names of old rows in order. 1 time, 2 name to go on after ('' for the start), 3 names to leave out, 4 limit. Locks: none. */
export const EXPIRED_QUEUES: SqlTemplate = (d) => `SELECT queue.name FROM ${d.prefix}river_queue AS queue
  WHERE queue.updated_at < $1::timestamptz AND ${BY_NAME} > $2::text AND queue.name <> ALL ($3::text[])
  ORDER BY ${BY_NAME} LIMIT $4::bigint`;

/** Deletes rows by name as far as they are still old. Parameters as above, but 5 is the names. */
export const DELETE_QUEUES: SqlTemplate = (d) => fencedDeletion(d, "AND queue.name = ANY ($5::text[])");
