import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createMigrator, type Migration, MigrationError } from "@riverqueue/migrate";
import { column, openDatabase } from "./testdata/open-database.ts";

failOnLeaks();

const EXTRA: Migration[] = [
  { version: 2, name: "second", upSql: "create table extra_2 (a);", downSql: "drop table extra_2;" },
  { version: 1, name: "first", upSql: "create table extra_1 (a);", downSql: "drop table extra_1;" },
];

test("another line goes up and down beside main, and its records go with its first version", async (t) => {
  const database = openDatabase(t);
  await createMigrator({ database }).migrateUp();
  const extra = createMigrator({ database }, { line: "extra", migrations: EXTRA });
  assert.deepEqual(
    extra.migrations.map(({ version }) => version),
    [1, 2],
  );

  await extra.migrateUp();
  assert.deepEqual(await extra.existingVersions(), [1, 2]);
  assert.deepEqual(await createMigrator({ database }).existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);

  assert.equal((await extra.migrateDown({ targetVersion: -1 })).versions.length, 2);
  assert.deepEqual(await extra.existingVersions(), []);
  assert.deepEqual(column(database, "select version from river_migration where line <> 'main'"), []);
  assert.deepEqual(column(database, "select name from sqlite_master where name like 'extra%'"), []);
  assert.equal((await extra.migrateUp()).versions.length, 2, "it can come again");
});

test("another line is refused until main is at version 5", async (t) => {
  const database = openDatabase(t);
  const main = createMigrator({ database });
  const extra = createMigrator({ database }, { line: "extra", migrations: EXTRA });
  const refuses = async (): Promise<void> => {
    for (const call of [extra.migrateUp(), extra.migrateDown(), extra.validate(), extra.existingVersions()]) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof MigrationError);
        assert.match(error.message, /on line "extra": line "main" must be migrated to version 5 or later first$/);
        return true;
      });
    }
  };
  await refuses();
  await main.migrateUp({ targetVersion: 4 });
  await refuses();
  await main.migrateUp({ targetVersion: 5 });
  assert.deepEqual(await extra.existingVersions(), []);
  assert.equal((await extra.migrateUp()).versions.length, 2);
});

test("main does not go below version 5 while another line has versions applied, and takes no step towards it", async (t) => {
  const database = openDatabase(t);
  const main = createMigrator({ database });
  const extra = createMigrator({ database }, { line: "extra", migrations: EXTRA });
  await main.migrateUp();
  await extra.migrateUp();
  for (const options of [
    { targetVersion: 4 },
    { targetVersion: -1 },
    { maxSteps: 4 },
    { targetVersion: 0, dryRun: true },
  ]) {
    await assert.rejects(main.migrateDown(options), {
      name: "MigrationError",
      operation: "migrateDown",
      message: /cannot go below version 5 while other lines have versions applied: "extra"/,
    });
  }
  assert.deepEqual(await main.existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);

  assert.equal((await main.migrateDown({ targetVersion: 5 })).versions.length, 3, "5 itself may stay");
  await assert.rejects(main.migrateDown(), { name: "MigrationError" });
  await extra.migrateDown({ targetVersion: 0 });
  assert.equal((await main.migrateDown({ targetVersion: 0 })).versions.length, 5);
});

test("lines with the same versions do not see each other's records", async (t) => {
  const database = openDatabase(t);
  await createMigrator({ database }).migrateUp();
  const [one] = EXTRA.slice(1);
  assert.ok(one);
  const a = createMigrator(
    { database },
    { line: "a", migrations: [{ ...one, upSql: "select 1;", downSql: "select 1;" }] },
  );
  const b = createMigrator({ database }, { line: "b", migrations: EXTRA });
  await a.migrateUp();
  await b.migrateUp();
  await b.migrateDown();
  assert.deepEqual([await a.existingVersions(), await b.existingVersions()], [[1], [1]]);
  await b.migrateDown();
  assert.deepEqual([await a.existingVersions(), await b.existingVersions()], [[1], []]);
});
