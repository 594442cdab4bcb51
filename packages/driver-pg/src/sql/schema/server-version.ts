/** Name and version of the server. No parameters, no locks. */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const SERVER_VERSION: SqlTemplate = () => "SELECT version() AS version";

/** The schema of channels and tables. */
export const SCHEMA_NAME: SqlTemplate = (d) => `SELECT ${d.schema}::text AS schema`;
