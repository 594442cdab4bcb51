/**
 * What River has to know of a session.
 *
 * - No parameters. Result: process ID, start of the process, DateStyle. Locks: none.
 * - Only a superuser sees the start of other users' processes, but everybody sees that of the own one.
 */
import { readable, type Dialect } from "../../connection/dialect.ts";

export const sessionFacts = (d: Dialect): string => `SELECT
    ${readable(d, "pid", "pid")},
    ${readable(d, "backend_start", "backend_start")},
    current_setting('DateStyle') AS date_style
  FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
