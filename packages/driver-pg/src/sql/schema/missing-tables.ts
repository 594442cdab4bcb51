/**
 * Which of the given tables cannot be found.
 *
 * - Parameters: 1 names. Result: names in their order. Locks: none.
 */
import { quoteLiteral, type SqlTemplate } from "../../connection/dialect.ts";

export const MISSING_TABLES: SqlTemplate = (
  d,
) => `SELECT wanted.name FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place)
  WHERE to_regclass(${quoteLiteral(d.prefix)} || wanted.name) IS NULL ORDER BY wanted.place`;
