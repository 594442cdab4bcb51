/** What pausing, resuming and updating share: the change and its notice are one statement. */
import type { Dialect } from "../../connection/dialect.ts";
import { notify } from "../notices/send.ts";
import { BY_NAME, queueColumns } from "./columns.ts";

/**
 * A changing statement with its notice. Result: one row a changed queue, and one of nulls when there is none.
 *
 * @param change - an UPDATE of `river_queue AS queue` without its RETURNING.
 * @param told - condition under which the notices of `$3` are sent.
 */
export function withNotice(d: Dialect, change: string, told: string): string {
  return `WITH changed AS (${change} RETURNING queue.*),
  notified AS MATERIALIZED (${notify(d, "$3", told)})
  SELECT ${queueColumns(d)} FROM (SELECT count(*) FROM notified) AS n LEFT JOIN changed AS queue ON true`;
}

/** Every queue (`*`) is told even if there is no row; a queue by name only if it exists. */
export const TOLD = "($1::text = '*' OR EXISTS (SELECT 1 FROM changed))";

/**
 * The end of an UPDATE of the queue `$1`, or of all for `*`. Rows are locked in one order, whatever order a scan finds
 * them in: statements that change all queues at the same time wait for each other instead of falling into a deadlock.
 */
export function fromHeld(d: Dialect): string {
  return `FROM (
      SELECT queue.name FROM ${d.prefix}river_queue AS queue WHERE $1::text IN ('*', queue.name) ORDER BY ${BY_NAME} FOR UPDATE
    ) AS held
    WHERE queue.name = held.name`;
}

/**
 * A change of all queues (`$1` is `*`) that waits for nobody, with its notice. Result: one row, the number of queues whose
 * rows are locked and were left out.
 *
 * @param change - an UPDATE of `river_queue AS queue` up to its FROM.
 */
export function changeOfFree(d: Dialect, change: string): string {
  return `WITH free AS MATERIALIZED (
    SELECT queue.name FROM ${d.prefix}river_queue AS queue WHERE $1::text = '*' ORDER BY ${BY_NAME} FOR UPDATE SKIP LOCKED
  ), changed AS (${change} FROM free WHERE queue.name = free.name RETURNING 1),
  notified AS MATERIALIZED (${notify(d, "$3")})
  SELECT ((SELECT count(*) FROM ${d.prefix}river_queue) - (SELECT count(*) FROM free))::text AS locked
  FROM (SELECT count(*) FROM notified) AS n`;
}
