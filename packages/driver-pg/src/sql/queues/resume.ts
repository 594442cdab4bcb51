/**
 * Ends the pause of a queue, or of every queue for `*`.
 *
 * - Parameters: 1 name or `*`, 2 now or null, 3 JSON array of [topic, payload]. Result: `queueColumns`, see `withNotice`.
 * - Locks: the rows, in the order of their names. Index: the primary key, or a scan.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { changeOfFree, fromHeld, TOLD, withNotice } from "./control.ts";

const change = (d: Dialect): string => `UPDATE ${d.prefix}river_queue AS queue SET
      paused_at = NULL,
      updated_at = CASE WHEN queue.paused_at IS NULL THEN queue.updated_at ELSE coalesce($2::timestamptz, now()) END`;

export const RESUME: SqlTemplate = (d) => withNotice(d, `${change(d)} ${fromHeld(d)}`, TOLD);

/** Resumes every queue whose row nobody holds, see `changeOfFree`. */
export const RESUME_FREE: SqlTemplate = (d) => changeOfFree(d, change(d));
