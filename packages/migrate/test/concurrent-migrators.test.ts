import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { failOnLeaks, spawnNode, temporaryFolder } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { describeSqliteSchema } from "./testdata/describe-sqlite-schema.ts";
import { column, openDatabase } from "./testdata/open-database.ts";
import { SQLITE_SCHEMAS } from "./testdata/sqlite-schema.data.ts";

failOnLeaks();

test("four processes migrate one new file at once: all succeed and each version is applied once", async (t) => {
  const path = join(temporaryFolder(t), "river.db");
  const script = new URL("./testdata/migrate-when-told.ts", import.meta.url);
  const children = Array.from({ length: 4 }, () => spawnNode(t, script, [path]));
  await Promise.all(children.map((child) => child.next((message) => message === "ready")));
  for (const child of children) child.send("go");
  const applied = await Promise.all(children.map((child) => child.next<number[]>(Array.isArray)));

  assert.deepEqual(
    applied.flat().toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  for (const child of children) assert.deepEqual(await child.exit(), { code: 0, signal: null }, child.log);
  const database = new DatabaseSync(path);
  assert.deepEqual(describeSqliteSchema(database), SQLITE_SCHEMAS["8"]);
  database.close();
});

test("calls on one handle take turns, and on several handles as well", async (t) => {
  const database = openDatabase(t);
  const path = database.location() ?? "";
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  const [here, there] = [createMigrator({ database }), createMigrator({ database: other })];
  const ups = await Promise.all([here.migrateUp(), here.migrateUp(), there.migrateUp(), there.migrateUp()]);
  assert.deepEqual(
    ups.flatMap(({ versions }) => versions.map(({ version }) => version)).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  const downs = await Promise.all([here.migrateDown(), there.migrateDown(), here.migrateDown({ maxSteps: 2 })]);
  assert.deepEqual(
    downs.flatMap(({ versions }) => versions.map(({ version }) => version)).toSorted((a, b) => b - a),
    [8, 7, 6, 5],
    "each call takes its own number of steps",
  );
});

test("a lock of another connection is waited for without blocking the event loop, whatever the handle's own timeout", async (t) => {
  const database = openDatabase(t, { timeout: 60_000 });
  const holder = new DatabaseSync(database.location() ?? "");
  t.after(() => holder.close());
  holder.exec("begin immediate; create table held (a);");

  const migrated = createMigrator({ database }).migrateUp();
  // The event loop turns although the lock is held, and until it has turned nobody gives the lock back.
  await new Promise<void>((turned) => setImmediate(turned));
  assert.deepEqual(column(database, "pragma busy_timeout"), [60_000]);
  assert.deepEqual(column(database, "pragma foreign_keys"), [1]);
  holder.exec("commit");
  assert.equal((await migrated).versions.length, 8);
});

test("readers of a database in rollback-journal mode delay the commit and do not make it fail", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 7 });
  const reader = new DatabaseSync(database.location() ?? "");
  t.after(() => reader.close());
  reader.exec("begin");
  assert.deepEqual(column(reader, "select count(*) from river_job"), [0]);

  const migrated = migrator.migrateUp();
  setImmediate(() => reader.exec("commit"));
  assert.equal((await migrated).versions.length, 1);
});
