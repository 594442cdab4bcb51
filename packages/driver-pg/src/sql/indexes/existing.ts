/** Indexes of the schema. Locks: none. Index: those of the catalogue. */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";

function indexesOf(d: Dialect, condition: string): string {
  return `SELECT relation.relname::text AS name
  FROM pg_class AS relation JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
  WHERE relation.relkind = 'i' AND namespace.nspname = ${d.schema} AND ${condition}
  ORDER BY relation.relname`;
}

/** Which of the given indexes exist. 1 names. Returns names. */
export const EXISTING_INDEXES: SqlTemplate = (d) => indexesOf(d, "relation.relname = ANY ($1::text[])");

/** What interrupted concurrent rebuilds of an index left. 1 name. Returns names. */
export const INDEX_ARTIFACTS: SqlTemplate = (d) =>
  indexesOf(
    d,
    `starts_with(relation.relname::text, $1::text)
    AND substr(relation.relname::text, length($1::text) + 1) ~ '^_cc(new|old)[0-9]*$'`,
  );
