import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createMigrator, loadMigrations, MigrationError, type MigrateResult } from "@riverqueue/migrate";
import { describeSqliteSchema } from "./testdata/describe-sqlite-schema.ts";
import { column, openDatabase, rows } from "./testdata/open-database.ts";

failOnLeaks();

const versionsOf = (result: MigrateResult): number[] => result.versions.map(({ version }) => version);

test("up applies everything in order and tells what it did; a second time there is nothing to do", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  assert.deepEqual([migrator.backend, migrator.line], ["sqlite", "main"]);

  const result = await migrator.migrateUp();
  assert.equal(result.direction, "up");
  assert.deepEqual(
    result.versions.map(({ version, name, sql }) => ({ version, name, sql })),
    migrator.migrations.map(({ version, name, upSql }) => ({ version, name, sql: upSql })),
  );
  for (const { duration } of result.versions) assert.equal(duration.sign, 1);
  assert.deepEqual(await migrator.migrateUp(), { direction: "up", versions: [] });
});

test("down takes out the newest version alone unless told how far", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  await migrator.migrateUp();
  const result = await migrator.migrateDown();
  assert.equal(result.direction, "down");
  assert.deepEqual(
    result.versions.map(({ version, sql }) => ({ version, sql })),
    [{ version: 8, sql: migrator.migrations[7]?.downSql }],
  );
  assert.deepEqual(versionsOf(await migrator.migrateDown({ maxSteps: 2 })), [7, 6]);
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5]);
});

test("up with a target stops at it, and does nothing when it is applied already", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  assert.deepEqual(versionsOf(await migrator.migrateUp({ targetVersion: 3 })), [1, 2, 3]);
  assert.deepEqual(versionsOf(await migrator.migrateUp({ targetVersion: 3 })), []);
  assert.deepEqual(versionsOf(await migrator.migrateUp({ targetVersion: 2 })), []);
  assert.deepEqual(versionsOf(await migrator.migrateUp({ targetVersion: 8, maxSteps: 2 })), [4, 5]);
  assert.deepEqual(versionsOf(await migrator.migrateUp({ targetVersion: 6, maxSteps: 4 })), [6]);
});

test("down with a target leaves the target applied; 0 and -1 take out everything", async (t) => {
  for (const all of [0, -1]) {
    const database = openDatabase(t);
    const migrator = createMigrator({ database });
    await migrator.migrateUp({ targetVersion: 5 });
    assert.deepEqual(versionsOf(await migrator.migrateDown({ targetVersion: 3 })), [5, 4]);
    assert.deepEqual(versionsOf(await migrator.migrateDown({ targetVersion: 3 })), []);
    assert.deepEqual(versionsOf(await migrator.migrateDown({ targetVersion: all })), [3, 2, 1]);
    assert.deepEqual(describeSqliteSchema(database), {});
    assert.deepEqual(await migrator.migrateDown({ targetVersion: all }), { direction: "down", versions: [] });
  }
});

test("a target that is not known, not applied or out of reach is an error, and nothing has changed", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  await migrator.migrateUp({ targetVersion: 5 });
  const refusals = [
    [migrator.migrateUp({ targetVersion: 9 }), "migrateUp", /version 9 is not known; known are 1 to 8/],
    [migrator.migrateUp({ targetVersion: 0 }), "migrateUp", /version 0 is not known/],
    [migrator.migrateDown({ targetVersion: 9 }), "migrateDown", /version 9 is not known/],
    [migrator.migrateDown({ targetVersion: 7 }), "migrateDown", /version 7 is not applied/],
    [migrator.migrateDown({ targetVersion: 2, maxSteps: 2 }), "migrateDown", /version 2 is 3 steps away/],
    [migrator.validate({ targetVersion: 9 }), "validate", /version 9 is not known/],
  ] as const;
  for (const [call, operation, message] of refusals) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, message);
      assert.deepEqual([error.code, error.backend, error.operation], ["migration", "sqlite", operation]);
      return true;
    });
  }
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5]);
  assert.deepEqual(versionsOf(await migrator.migrateDown({ targetVersion: 3, maxSteps: 2 })), [5, 4]);
});

test("a limit of no steps does nothing", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  for (const maxSteps of [0, -1]) {
    assert.deepEqual(await migrator.migrateUp({ maxSteps }), { direction: "up", versions: [] });
    assert.deepEqual(await migrator.migrateDown({ maxSteps }), { direction: "down", versions: [] });
  }
});

test("a dry run tells the SQL of every step and changes nothing", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  const up = await migrator.migrateUp({ dryRun: true });
  assert.deepEqual(
    up.versions.map(({ version, sql, duration }) => ({ version, sql, duration: duration.toString() })),
    loadMigrations("sqlite").map(({ version, upSql }) => ({ version, sql: upSql, duration: "PT0S" })),
  );
  assert.deepEqual(describeSqliteSchema(database), {});

  await migrator.migrateUp();
  const before = describeSqliteSchema(database);
  const down = await migrator.migrateDown({ dryRun: true, targetVersion: 5 });
  assert.deepEqual(
    down.versions.map(({ version, sql }) => ({ version, sql })),
    loadMigrations("sqlite")
      .slice(5)
      .toReversed()
      .map(({ version, downSql }) => ({ version, sql: downSql })),
  );
  assert.deepEqual(describeSqliteSchema(database), before);
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);
});

test("validate names the versions that are missing, up to a target if one is given", async (t) => {
  const migrator = createMigrator({ database: openDatabase(t) });
  assert.deepEqual(await migrator.validate(), { ok: false, messages: ["Unapplied migrations: [1 2 3 4 5 6 7 8]"] });
  await migrator.migrateUp({ targetVersion: 5 });
  assert.deepEqual(await migrator.validate(), { ok: false, messages: ["Unapplied migrations: [6 7 8]"] });
  assert.deepEqual(await migrator.validate({ targetVersion: 6 }), {
    ok: false,
    messages: ["Unapplied migrations: [6]"],
  });
  assert.deepEqual(await migrator.validate({ targetVersion: 5 }), { ok: true, messages: [] });
  await migrator.migrateUp();
  assert.deepEqual(await migrator.validate(), { ok: true, messages: [] });
});

test("a version missing in the middle is applied, and one above it is left alone", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp();
  database.exec("delete from river_migration where version = 3");
  assert.deepEqual(await migrator.validate(), { ok: false, messages: ["Unapplied migrations: [3]"] });
  assert.deepEqual(versionsOf(await migrator.migrateUp()), [3]);
});

test("a version newer than the migrator knows is listed and otherwise left alone", async (t) => {
  const database = openDatabase(t);
  const older = createMigrator({ database }, { migrations: loadMigrations("sqlite").slice(0, 7) });
  await createMigrator({ database }).migrateUp();
  assert.deepEqual(await older.existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(await older.validate(), { ok: true, messages: [] });
  assert.deepEqual(await older.migrateUp(), { direction: "up", versions: [] });
  assert.deepEqual(await older.migrateUp({ targetVersion: 7 }), { direction: "up", versions: [] });
  assert.deepEqual(column(database, "select max(version) from river_migration"), [8]);
});

test("records are written as the version's table wants them, with the database's own time", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 4 });
  const early = rows(database, "select version, created_at from river_migration order by version");
  assert.deepEqual(column(database, "select typeof(created_at) from river_migration"), Array(4).fill("text"));
  await migrator.migrateUp();
  assert.deepEqual(column(database, "select distinct line from river_migration"), ["main"]);
  assert.deepEqual(
    rows(database, "select version, created_at from river_migration where version <= 4 order by version"),
    early,
  );
});

test("a failing version leaves the versions before it, and the error says which one failed but no SQL", async (t) => {
  const database = openDatabase(t);
  const migrations = [
    ...loadMigrations("sqlite").slice(0, 2),
    {
      version: 3,
      name: "broken",
      upSql: "create table left_behind (a); insert into no_such_table values ('s3cret');",
      downSql: "select 1;",
    },
  ];
  const migrator = createMigrator({ database }, { migrations });
  await assert.rejects(migrator.migrateUp(), (error) => {
    assert.ok(error instanceof MigrationError);
    assert.equal(error.message, "version 3 up failed: SQLite error 1 (SQL logic error)");
    assert.equal(error.operation, "migrateUp");
    assert.equal((error.cause as { code?: unknown }).code, "database");
    return true;
  });
  assert.deepEqual(await migrator.existingVersions(), [1, 2]);
  assert.deepEqual(column(database, "select name from sqlite_master where name = 'left_behind'"), []);
  assert.equal(database.isTransaction, false);
});
