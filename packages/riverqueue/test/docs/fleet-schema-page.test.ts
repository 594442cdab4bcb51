import assert from "node:assert/strict";
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/fleet-schema.md");

test("tables, views, columns and indexes on the page are those of the line fleet, both ways", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "fleet" }).migrateUp();
  const names = (sql: string, ...values: string[]): string[] =>
    database
      .prepare(sql)
      .all(...values)
      .map(({ name }) => String(name));
  const relations = names(
    "select name from sqlite_master where type <> 'index' and name like 'river\\_fleet%' escape '\\'",
  );
  assert.deepEqual(page.sections.filter((title) => title.startsWith("river_")).toSorted(), relations.toSorted());
  for (const relation of relations) {
    const columns = names("select name from pragma_table_info(?)", relation);
    const indexes = names(
      "select name from sqlite_master where type = 'index' and sql is not null and tbl_name = ?",
      relation,
    );
    assert.deepEqual(page.names(relation).toSorted(), [...columns, ...indexes].toSorted(), relation);
  }
});

test("the statements on the page run", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "fleet" }).migrateUp();
  const [sql = ""] = /(?<=```sql\n)[^]*?(?=```)/.exec(page.text) ?? [];
  const statements = sql.split(";").filter((statement) => statement.trim() !== "");
  assert.equal(statements.length, 3);
  for (const statement of statements) assert.deepEqual(database.prepare(statement).all(), []);
});
