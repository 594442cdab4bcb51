import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { describeSqliteSchema } from "./testdata/describe-sqlite-schema.ts";
import { column, openDatabase } from "./testdata/open-database.ts";
import { SQLITE_SCHEMAS, type SqliteState } from "./testdata/sqlite-schema.data.ts";

failOnLeaks();

const upwards = ["1", "2", "3", "4", "5", "6", "7", "8"] as const;
const downwards = ["7 from 8", "6", "5", "4", "3", "2", "1"] as const;

for (const state of upwards) {
  test(`version ${state} reached from nothing has River for Go's objects`, async (t) => {
    const database = openDatabase(t);
    await createMigrator({ database }).migrateUp({ targetVersion: Number(state) });
    assert.deepEqual(describeSqliteSchema(database), SQLITE_SCHEMAS[state]);
  });
}

test("each version reached step by step, up and down and up again, has River for Go's objects", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  const check = (state: SqliteState): void => {
    assert.deepEqual(describeSqliteSchema(database), SQLITE_SCHEMAS[state], state);
    const applied = Array.from({ length: Number.parseInt(state, 10) }, (_, index) => index + 1);
    assert.deepEqual(column(database, "select version from river_migration order by version"), applied);
  };

  for (const state of upwards) {
    await migrator.migrateUp({ maxSteps: 1 });
    check(state);
  }
  for (const state of downwards) {
    await migrator.migrateDown();
    check(state);
  }
  await migrator.migrateDown();
  assert.deepEqual(describeSqliteSchema(database), {});
  for (const state of upwards) {
    await migrator.migrateUp({ maxSteps: 1 });
    check(state);
  }
});

test("a job's ID is given out again up to version 7 and never from version 8 on", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  const insertAndDelete = (): number => {
    const { lastInsertRowid } = database.prepare("insert into river_job (kind) values ('k')").run();
    database.exec("delete from river_job");
    return Number(lastInsertRowid);
  };
  await migrator.migrateUp({ targetVersion: 7 });
  assert.deepEqual([insertAndDelete(), insertAndDelete()], [1, 1]);
  await migrator.migrateUp();
  assert.deepEqual([insertAndDelete(), insertAndDelete()], [1, 2]);
  await migrator.migrateDown();
  assert.deepEqual([insertAndDelete(), insertAndDelete()], [1, 1]);
});
