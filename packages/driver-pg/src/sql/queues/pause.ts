/**
 * Pauses a queue, or every queue for `*`. The time of the first pause stays.
 *
 * - Parameters: 1 name or `*`, 2 now or null, 3 JSON array of [topic, payload]. Result: `queueColumns`, see `withNotice`.
 * - Locks: the rows, in the order of their names. Index: the primary key, or a scan.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { changeOfFree, fromHeld, TOLD, withNotice } from "./control.ts";

const change = (d: Dialect): string => `UPDATE ${d.prefix}river_queue AS queue SET
      paused_at = coalesce(queue.paused_at, $2::timestamptz, now()),
      updated_at = CASE WHEN queue.paused_at IS NULL THEN coalesce($2::timestamptz, now()) ELSE queue.updated_at END`;

export const PAUSE: SqlTemplate = (d) => withNotice(d, `${change(d)} ${fromHeld(d)}`, TOLD);

/** Pauses every queue whose row nobody holds, see `changeOfFree`. */
export const PAUSE_FREE: SqlTemplate = (d) => changeOfFree(d, change(d));
