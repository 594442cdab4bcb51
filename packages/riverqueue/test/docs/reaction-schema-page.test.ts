import assert from "node:assert/strict";
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Page } from "./testdata/read-page.ts";
import { columnAndIndexNames, relationNames } from "./testdata/read-schema.ts";

const page = new Page("reference/reaction-schema.md");

test("tables, columns and indexes on the page are those of the line reaction, both ways", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  const tables = relationNames(database, "river_reaction");
  assert.deepEqual(page.sections.toSorted(), tables);
  for (const table of tables) {
    assert.deepEqual(page.names(table).toSorted(), columnAndIndexNames(database, table), table);
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
