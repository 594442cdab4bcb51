/** Describes River's objects in a SQLite database as lines of text, so that two databases can be compared. */
import type { DatabaseSync } from "node:sqlite";
import { insideParentheses, sqlWords } from "./sql-words.ts";

/** Lines by table name: columns in their order, then checks, foreign keys and indexes by name. */
export type SchemaDescription = Readonly<Record<string, readonly string[]>>;

/** Describes all tables but SQLite's own. Views and triggers are listed under their names with no lines. */
export function describeSqliteSchema(database: DatabaseSync): SchemaDescription {
  const objects = database
    .prepare("select name, type, sql from sqlite_master where type <> 'index' and name not like 'sqlite_%' order by name")
    .all() as { name: string; type: string; sql: string }[];
  return Object.fromEntries(
    objects.map(({ name, type, sql }) => [name, type === "table" ? describeTable(database, name, sqlWords(sql)) : []]),
  );
}

function describeTable(database: DatabaseSync, table: string, words: readonly string[]): string[] {
  return [
    ...describeColumns(database, table, words.includes("autoincrement")),
    ...describeChecks(words).toSorted(),
    ...describeForeignKeys(database, table),
    ...describeIndexes(database, table),
  ];
}

function describeColumns(database: DatabaseSync, table: string, autoincrement: boolean): string[] {
  return select(database, "select * from pragma_table_xinfo(?)", table).map((column) =>
    [
      `${column["name"]} ${column["type"]?.toLowerCase()}`,
      column["notnull"] === "1" ? "not null" : "",
      column["pk"] === "0" ? "" : `key ${column["pk"]}`,
      column["pk"] === "1" && autoincrement ? "autoincrement" : "",
      column["dflt_value"] === undefined ? "" : `default ${sqlWords(column["dflt_value"]).join(" ")}`,
    ]
      .filter((part) => part !== "")
      .join(", "),
  );
}

function describeChecks(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    if (word !== "check") return [];
    const name = words[at - 2] === "constraint" ? words[at - 1] : "(unnamed)";
    return [`check ${name}: ${insideParentheses(words, at + 1)}`];
  });
}

function describeForeignKeys(database: DatabaseSync, table: string): string[] {
  return select(database, "select * from pragma_foreign_key_list(?)", table).map(
    (key) => `references ${key["table"]} (${key["from"]} to ${key["to"]}), on delete ${key["on_delete"]?.toLowerCase()}`,
  );
}

function describeIndexes(database: DatabaseSync, table: string): string[] {
  return select(database, "select * from pragma_index_list(?) order by name", table).map((index) => {
    const name = index["name"] ?? "";
    const keys = select(database, "select * from pragma_index_xinfo(?) where key = 1 order by seqno", name)
      .map((column) => `${column["name"]}${column["desc"] === "1" ? " desc" : ""}`)
      .join(", ");
    const words = sqlWords(select(database, "select sql from sqlite_master where name = ?", name)[0]?.["sql"] ?? "");
    return [
      `index ${name} (${keys})`,
      index["unique"] === "1" ? "unique" : "",
      index["origin"] === "c" ? "" : "implied",
      words.includes("where") ? `where ${words.slice(words.indexOf("where") + 1).join(" ")}` : "",
    ]
      .filter((part) => part !== "")
      .join(", ");
  });
}

/** Rows with every value as text, and nulls left out. */
function select(database: DatabaseSync, sql: string, argument: string): Record<string, string | undefined>[] {
  return database
    .prepare(sql)
    .all(argument)
    .map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, String(value)]),
      ),
    );
}
