/**
 * Creates a queue's row or bumps its `updated_at`.
 *
 * - Parameters: 1 name, 2 now. Result: `QUEUE_COLUMNS`. Locks: the write lock. Index: the primary key.
 */
import { QUEUE_COLUMNS } from "./columns.ts";

export const KEEP_ALIVE: string = `INSERT INTO river_queue (name, metadata, created_at, updated_at)
  VALUES (?1, jsonb('{}'), ?2, ?2)
  ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at
  RETURNING ${QUEUE_COLUMNS}`;
