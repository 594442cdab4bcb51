/**
 * Creates a queue's row or bumps its `updated_at`.
 *
 * - Parameters: 1 name, 2 now or null. Result: `queueColumns`; no row when somebody creates it in this very moment.
 * - Locks: the row. One that somebody else holds, as a transaction in which the queue is paused does, is only read: a
 *   heartbeat that waited would hold up elections and controls, and it is made up for by the next one.
 * - Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { queueColumns } from "./columns.ts";

export const KEEP_ALIVE: SqlTemplate = (d) => `WITH moment AS (
    SELECT coalesce($2::timestamptz, now()) AS at
  ), free AS MATERIALIZED (
    SELECT queue.name FROM ${d.prefix}river_queue AS queue WHERE queue.name = $1::text FOR UPDATE SKIP LOCKED
  ), kept AS (
    UPDATE ${d.prefix}river_queue AS queue SET updated_at = moment.at FROM free, moment WHERE queue.name = free.name
    RETURNING queue.*
  ), made AS (
    INSERT INTO ${d.prefix}river_queue AS queue (name, metadata, created_at, updated_at)
    SELECT $1::text, '{}', moment.at, moment.at FROM moment
    WHERE NOT EXISTS (SELECT 1 FROM ${d.prefix}river_queue AS queue WHERE queue.name = $1::text)
    ON CONFLICT (name) DO NOTHING
    RETURNING queue.*
  ), held AS (
    SELECT queue.* FROM ${d.prefix}river_queue AS queue
    WHERE queue.name = $1::text AND NOT EXISTS (SELECT 1 FROM free)
  )
  SELECT ${queueColumns(d)} FROM (
    SELECT * FROM kept UNION ALL SELECT * FROM made UNION ALL SELECT * FROM held
  ) AS queue`;
