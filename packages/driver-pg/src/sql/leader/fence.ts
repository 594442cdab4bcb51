/**
 * Whether a term is the present one.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null. Result: one row, true or false. Index: the table has at most
 *   one row.
 * - Locks: none, so whoever asks does so as the last thing before its commit.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "./columns.ts";

export const FENCE: SqlTemplate = (d) => `SELECT ${holdsTerm(d, "$1", "$2", "$3")}::text AS holds`;
