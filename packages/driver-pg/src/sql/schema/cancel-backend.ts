/**
 * Cancels the statement of another session.
 *
 * - Parameters: 1 process ID, 2 start of the process. Result: one row if that process is there still. Locks: none.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const CANCEL_BACKEND: SqlTemplate = () => `SELECT pg_cancel_backend(pid)::text AS cancelled
  FROM pg_stat_activity WHERE pid = $1::integer AND backend_start = $2::timestamptz`;
