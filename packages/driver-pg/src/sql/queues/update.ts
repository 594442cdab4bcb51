/**
 * Replaces a queue's metadata and bumps its `updated_at`.
 *
 * - Parameters: 1 name, 2 now or null, 3 JSON array of [topic, payload], 4 JSON text or null to leave it.
 * - Result: `queueColumns`, see `withNotice`. Locks: the row. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { withNotice } from "./control.ts";

export const UPDATE_QUEUE: SqlTemplate = (d) =>
  withNotice(
    d,
    `UPDATE ${d.prefix}river_queue AS queue SET
      metadata = coalesce($4::jsonb, queue.metadata),
      updated_at = coalesce($2::timestamptz, now())
    WHERE queue.name = $1::text`,
    "EXISTS (SELECT 1 FROM changed)",
  );
