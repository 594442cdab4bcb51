/** Which process of the server answers. No parameters. Result: its ID. Locks: none. */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const BACKEND_PID: SqlTemplate = () => "SELECT pg_backend_pid()::text AS pid";
