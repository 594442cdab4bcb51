import assert from "node:assert/strict";
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/reaction-schema.md");

test("tables, columns and indexes on the page are those of the line reaction, both ways", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  const names = (sql: string, ...values: string[]): string[] =>
    database
      .prepare(sql)
      .all(...values)
      .map(({ name }) => String(name));
  const tables = names(
    "select name from sqlite_master where type = 'table' and name like 'river\\_reaction%' escape '\\'",
  );
  assert.deepEqual(page.sections.toSorted(), tables.toSorted());
  for (const table of tables) {
    const columns = names("select name from pragma_table_info(?)", table);
    const indexes = names(
      "select name from sqlite_master where type = 'index' and sql is not null and tbl_name = ?",
      table,
    );
    assert.deepEqual(page.names(table).toSorted(), [...columns, ...indexes].toSorted(), table);
  }
});

test("types on the page are those of the columns", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  for (const table of page.sections) {
    const columns = new Map(
      database
        .prepare("select name, lower(type) || iif(\"notnull\" or pk, '', ', null') as type from pragma_table_info(?)")
        .all(table)
        .map(({ name, type }) => [String(name), String(type)]),
    );
    for (const [name = "", type] of page.rows(table)) {
      assert.equal(type, columns.get(name.replaceAll("`", "")) ?? "index", `${table}.${name}`);
    }
  }
});
