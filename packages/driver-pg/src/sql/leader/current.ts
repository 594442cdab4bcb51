/** The stored term, expired or not. No parameters, no locks; the table has at most one row. */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { termColumns } from "./columns.ts";

export const CURRENT_TERM: SqlTemplate = (d) => `SELECT ${termColumns(d)} FROM ${d.prefix}river_leader AS term`;
