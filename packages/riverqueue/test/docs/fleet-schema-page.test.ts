import assert from "node:assert/strict";
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Page } from "./testdata/read-page.ts";
import { columnAndIndexNames, relationNames } from "./testdata/read-schema.ts";

const page = new Page("reference/fleet-schema.md");

test("tables, views, columns and indexes on the page are those of the line fleet, both ways", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  await createMigrator({ database }, { line: "fleet" }).migrateUp();
  const relations = relationNames(database, "river_fleet");
  assert.deepEqual(page.sections.filter((title) => title.startsWith("river_")).toSorted(), relations);
  for (const relation of relations) {
    assert.deepEqual(page.names(relation).toSorted(), columnAndIndexNames(database, relation), relation);
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
