import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createMigrator, loadMigrations, type MigratorOptions, type MigratorSource } from "@riverqueue/migrate";
import { ConfigurationError, ValidationError } from "riverqueue/driver";
import { column, openDatabase } from "./testdata/open-database.ts";

failOnLeaks();

const created = (sql: string): string[] =>
  [...sql.matchAll(/create (?:unique )?index (\w+)/g)].map((match) => match[1] ?? "");

test("a handle in memory, with results in other shapes than the default ones, is migrated in place", async (t) => {
  const database = new DatabaseSync(":memory:", { readBigInts: true, returnArrays: true, timeout: 250 });
  t.after(() => database.close());
  const migrator = createMigrator({ database });
  await migrator.migrateUp();
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(database.prepare("pragma busy_timeout").all(), [[250n]]);
});

test("a driver is a source, on a file and in memory", async (t) => {
  const database = openDatabase(t);
  for (const driver of [new SqliteDriver(database), SqliteDriver.memory()]) {
    const migrator = createMigrator(driver);
    const calls = [migrator.migrateUp(), createMigrator(driver).migrateUp()];
    const versions = (await Promise.all(calls)).flatMap((result) => result.versions.map(({ version }) => version));
    assert.deepEqual(
      versions.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(await migrator.validate(), { ok: true, messages: [] });
    assert.equal((await migrator.migrateDown({ targetVersion: 0 })).versions.length, 8);
    driver.close();
  }
  assert.deepEqual(await createMigrator({ database }).existingVersions(), []);
});

test("a closed handle and one with an open transaction are refused, and the transaction stays open", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  database.exec("begin; create table mine (a);");
  for (const call of [migrator.migrateUp(), migrator.existingVersions()]) {
    await assert.rejects(call, { name: "MigrationError", message: /has a transaction open$/ });
  }
  database.exec("commit");
  assert.deepEqual(column(database, "select count(*) from mine"), [0]);

  const closed = new DatabaseSync(":memory:");
  closed.close();
  await assert.rejects(createMigrator({ database: closed }).validate(), {
    name: "MigrationError",
    message: /is closed$/,
  });
});

test("a wrong source is refused with what was expected", () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /source must be a driver, \{ pool, schema \}, \{ client, schema \} or \{ database \}/],
    ["river.db", /source must be a driver/],
    [{}, /source must be a driver/],
    [{ canWork: false, backend: "postgres" }, /only inserts/],
    [{ database: "river.db" }, /source\.database must be a DatabaseSync/],
    [{ database: new DatabaseSync(":memory:"), schema: "x" }, /^source\.schema is not an option; known are database$/],
    [
      { pool: {}, schemas: "x", schema: "" },
      /^source\.schemas is not an option; did you mean schema\?; source\.pool .*; source\.schema must/,
    ],
    [{ pool: {} }, /source\.pool must be a pool of pg/],
    [{ client: { connect() {} } }, /source\.client must be a connected client of pg/],
    [{ pool: { connect() {} }, schema: 7 }, /source\.schema must be the name of a schema/],
    [{ pool: { connect() {} }, schema: "" }, /source\.schema must be the name of a schema/],
  ];
  for (const [source, message] of wrong) {
    assert.throws(
      () => createMigrator(source as MigratorSource),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test("wrong options of a migrator are refused with their path", () => {
  const database = new DatabaseSync(":memory:");
  const migration = { version: 1, name: "n", upSql: "select 1", downSql: "select 1" };
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [7, /options must be an object/],
    [{ lines: "main" }, /^options\.lines is not an option; did you mean line\?$/],
    [{ schema: "a" }, /^options\.schema is not an option; known are line, migrations, ginIndexes$/],
    [
      { lin: 1, line: 1, ginIndexes: 1, migrations: [{ version: 0, names: "n" }] },
      new RegExp(
        [
          "^options\\.lin is not an option; did you mean line\\?",
          "options\\.migrations\\[0\\]\\.names is not an option; did you mean name\\?",
          "options\\.migrations\\[0\\]\\.version must be .*",
          "options\\.migrations\\[0\\]\\.name must be .*",
          "options\\.line must be .*",
          "options\\.ginIndexes must be a boolean$",
        ].join("; "),
      ),
    ],
    [{ line: "" }, /options\.line must be a string of 1 to 127 characters/],
    [{ line: "x".repeat(128) }, /options\.line must be/],
    [{ line: "extra" }, /options\.migrations must be given for a line other than "main", /],
    [{ ginIndexes: "no" }, /options\.ginIndexes must be a boolean/],
    [{ migrations: [] }, /options\.migrations must be a list with at least one/],
    [{ migrations: [null] }, /options\.migrations\[0\] must be an object/],
    [
      { migrations: [{ ...migration, version: 0.5 }] },
      /options\.migrations\[0\]\.version must be an integer of at least 1/,
    ],
    [{ migrations: [{ ...migration, upSql: " " }] }, /options\.migrations\[0\]\.upSql must be a non-empty string/],
    [{ migrations: [{ ...migration, version: 2 }] }, /consecutive versions from 1/],
    [{ migrations: [migration, migration] }, /consecutive versions from 1/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(
      () => createMigrator({ database }, options as MigratorOptions),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.match(error.message, message);
        return true;
      },
    );
  }
  database.close();
});

test("wrong options of a call are refused with their path, before the database is touched", async () => {
  const database = new DatabaseSync(":memory:");
  const migrator = createMigrator({ database });
  const wrong: readonly (readonly [Promise<unknown>, RegExp])[] = [
    [migrator.migrateUp({ maxSteps: 1.5 }), /options\.maxSteps must be an integer of at least -1/],
    [migrator.migrateUp({ maxSteps: -2 }), /options\.maxSteps/],
    [migrator.migrateDown({ targetVersion: "3" as unknown as number }), /options\.targetVersion must be an integer/],
    [migrator.migrateDown({ dryRun: 1 as unknown as boolean }), /options\.dryRun must be a boolean/],
    [migrator.migrateDown({ steps: 1 } as object), /options\.steps is not an option; known are dryRun, /],
    [migrator.migrateUp({ maxStep: 1 } as object), /options\.maxStep is not an option; did you mean maxSteps\?/],
    [migrator.migrateUp({ maxSteps: -2, dryRun: 1 } as object), /options\.dryRun .*; options\.maxSteps /],
    [migrator.validate({ targetVersion: 0 }), /options\.targetVersion must be an integer of at least 1/],
  ];
  for (const [call, message] of wrong) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ValidationError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.deepEqual(column(database, "select name from sqlite_master"), []);
  database.close();
});

test("the bundled migrations of Postgres are qualified by a schema, or left with the mark for one", () => {
  const marked = loadMigrations("postgres");
  assert.deepEqual(
    marked.map(({ version, name }) => `${version} ${name}`),
    loadMigrations("sqlite").map(({ version, name }) => `${version} ${name}`),
  );
  assert.match(marked[0]?.upSql ?? "", /create table \/\* TEMPLATE: schema \*\/river_migration \(/);
  const qualified = loadMigrations("postgres", { schema: 'my "app"' });
  assert.match(qualified[0]?.upSql ?? "", /create table "my ""app"""\.river_migration \(/);
  const unqualified = loadMigrations("postgres", { schema: null });
  assert.match(unqualified[0]?.upSql ?? "", /create table river_migration \(/);
  for (const { upSql, downSql } of [...qualified, ...unqualified]) assert.doesNotMatch(upSql + downSql, /TEMPLATE/);
  assert.throws(() => loadMigrations("mysql" as "sqlite"), ConfigurationError);
});

test("without ginIndexes the two GIN indexes are left out on Postgres and nothing else is", () => {
  const [all, fewer] = [loadMigrations("postgres"), loadMigrations("postgres", { ginIndexes: false })];
  assert.deepEqual(
    created(all[1]?.upSql ?? "").filter((name) => !created(fewer[1]?.upSql ?? "").includes(name)),
    ["river_job_args_index", "river_job_metadata_index"],
  );
  assert.deepEqual(fewer.toSpliced(1, 1), all.toSpliced(1, 1));
  assert.equal(fewer[1]?.downSql, all[1]?.downSql);
});
