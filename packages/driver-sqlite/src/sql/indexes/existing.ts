/**
 * Which of the given indexes exist.
 *
 * - Parameters: 1 JSON array of names. Result: names. Locks: none. Index: none, the schema is small.
 */
export const EXISTING_INDEXES =
  "SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN (SELECT value FROM json_each(?1))";
