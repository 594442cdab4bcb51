import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import {
  createMigrator,
  loadMigrations,
  MIGRATION_LINE_MAIN,
  MIGRATION_LINES,
  type MigrationLineName,
} from "@riverqueue/migrate";
import { ConfigurationError } from "riverqueue/driver";
import { column, openDatabase } from "./testdata/open-database.ts";
import { openPostgresDatabase } from "./testdata/open-postgres-database.ts";

failOnLeaks();

const further = MIGRATION_LINES.filter((line) => line !== MIGRATION_LINE_MAIN);
const tableNames = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name";

test("the lines that come with the package are main and others, each with its own versions on both databases", () => {
  assert.equal(MIGRATION_LINES[0], MIGRATION_LINE_MAIN);
  assert.equal(new Set(MIGRATION_LINES).size, MIGRATION_LINES.length);
  for (const line of further) {
    const names = (backend: "postgres" | "sqlite") =>
      loadMigrations(backend, { line }).map(({ version, name }) => `${version} ${name}`);
    assert.deepEqual(names("postgres"), names("sqlite"));
    assert.notDeepEqual(loadMigrations("sqlite", { line }), loadMigrations("sqlite"));
  }
  assert.deepEqual(loadMigrations("sqlite", { line: "main" }), loadMigrations("sqlite"));
  assert.throws(
    () => loadMigrations("sqlite", { line: "mian" as MigrationLineName }),
    (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, /^options\.line must be one of main, /);
      return true;
    },
  );
});

for (const line of further) {
  test(`line ${line} goes up beside main on SQLite, with tables of its own, and leaves nothing on the way down`, async (t) => {
    const database = openDatabase(t);
    await createMigrator({ database }).migrateUp();
    const main = column(database, tableNames);
    const migrator = createMigrator({ database }, { line });
    await migrator.migrateUp();
    const added = column(database, tableNames).filter((name) => !main.includes(name));
    assert.ok(added.length > 0);
    for (const name of added) assert.match(String(name), new RegExp(`^river_${line}_`));
    assert.equal((await migrator.validate()).ok, true);
    await migrator.migrateDown({ targetVersion: 0 });
    assert.deepEqual(column(database, tableNames), main);
  });

  postgresTest(`line ${line} goes up beside main on Postgres, in the configured schema, and down again`, async (t) => {
    const database = await openPostgresDatabase(t);
    const schema = 'a"b';
    await database.query('create schema "a""b"');
    const source = { pool: database.pool(), schema };
    await createMigrator(source).migrateUp();
    const main = await database.describe(schema);
    const migrator = createMigrator(source, { line });
    await migrator.migrateUp();
    const added = Object.keys(await database.describe(schema)).filter((name) => !(name in main));
    assert.ok(added.some((name) => name.includes(`river_${line}_`)));
    assert.deepEqual(await database.describe(), {});
    await migrator.migrateDown({ targetVersion: 0 });
    assert.deepEqual(await database.describe(schema), main);
  });
}
