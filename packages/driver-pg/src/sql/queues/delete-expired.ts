/**
 * Deletes rows of queues that no client has kept alive.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4 time, 5 limit.
 * - Result: whether the term holds, and the number of rows deleted. Locks: the rows; locked ones are left.
 * - Index: the table has one row a queue.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";
import { BY_NAME } from "./columns.ts";

export const DELETE_EXPIRED_QUEUES: SqlTemplate = (d) => `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), held AS MATERIALIZED (
    SELECT queue.name FROM ${d.prefix}river_queue AS queue
    WHERE queue.updated_at < $4::timestamptz AND (SELECT holds FROM fence)
    ORDER BY ${BY_NAME} LIMIT $5::bigint FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM ${d.prefix}river_queue AS queue USING held WHERE queue.name = held.name RETURNING 1
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM deleted)::text AS deleted`;
