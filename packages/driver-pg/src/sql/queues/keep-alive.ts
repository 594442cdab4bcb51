/**
 * Creates a queue's row or bumps its `updated_at`.
 *
 * - Parameters: 1 name, 2 now or null. Result: `queueColumns`. Locks: the row. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { queueColumns } from "./columns.ts";

export const KEEP_ALIVE: SqlTemplate = (
  d,
) => `INSERT INTO ${d.prefix}river_queue AS queue (name, metadata, created_at, updated_at)
  SELECT $1::text, '{}', moment.at, moment.at FROM (SELECT coalesce($2::timestamptz, now()) AS at) AS moment
  ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at
  RETURNING ${queueColumns(d)}`;
