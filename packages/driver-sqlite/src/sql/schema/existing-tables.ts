/**
 * Which of the given tables exist.
 *
 * - Parameters: 1 JSON array of names. Result: names. Locks: none. Index: none, the schema is small.
 */
export const EXISTING_TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?1))";
