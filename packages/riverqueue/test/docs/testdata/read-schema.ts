/** What a SQLite database has, for comparison with the pages that describe it. */
import type { DatabaseSync } from "node:sqlite";

/** Names of the tables and views whose names begin with `prefix`, in order. */
export function relationNames(database: DatabaseSync, prefix: string): string[] {
  return names(database, "select name from sqlite_master where type <> 'index' and name glob ?", `${prefix}*`);
}

/** Names of its columns and of the indexes that were created on it, in order. */
export function columnAndIndexNames(database: DatabaseSync, relation: string): string[] {
  const columns = names(database, "select name from pragma_table_info(?)", relation);
  const indexes = names(
    database,
    "select name from sqlite_master where type = 'index' and sql is not null and tbl_name = ?",
    relation,
  );
  return [...columns, ...indexes].toSorted();
}

function names(database: DatabaseSync, sql: string, value: string): string[] {
  return database
    .prepare(sql)
    .all(value)
    .map(({ name }) => String(name))
    .toSorted();
}
