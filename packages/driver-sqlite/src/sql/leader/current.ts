/** The stored term, expired or not. No parameters, no locks; the table has at most one row. */
import { TERM_COLUMNS } from "./columns.ts";

export const CURRENT_TERM: string = `SELECT ${TERM_COLUMNS} FROM river_leader`;
