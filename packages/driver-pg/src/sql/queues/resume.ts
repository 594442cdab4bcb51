/**
 * Ends the pause of a queue, or of every queue for `*`.
 *
 * - Parameters: 1 name or `*`, 2 now or null, 3 JSON array of [topic, payload]. Result: `queueColumns`, see `withNotice`.
 * - Locks: the rows, in the order of their names. Index: the primary key, or a scan.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { fromHeld, TOLD, withNotice } from "./control.ts";

export const RESUME: SqlTemplate = (d) =>
  withNotice(
    d,
    `UPDATE ${d.prefix}river_queue AS queue SET
      paused_at = NULL,
      updated_at = CASE WHEN queue.paused_at IS NULL THEN queue.updated_at ELSE coalesce($2::timestamptz, now()) END
    ${fromHeld(d)}`,
    TOLD,
  );
