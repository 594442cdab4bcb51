/** Opening, WAL, memory databases, further handles, closing. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { temporaryFolder } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { driverFixture, insertOne, newJob, read } from "./fixture/driver-fixture.ts";

/** Asked on a new handle: an open one does not look at the file again. */
function journalMode(path: string): unknown {
  using database = new DatabaseSync(path);
  return database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
}

test("the constructor switches the file to WAL", async (t) => {
  const path = join(temporaryFolder(t), "new.db");
  using database = new DatabaseSync(path);
  using driver = new SqliteDriver(database);
  assert.equal(driver.backend, "sqlite");
  assert.equal(journalMode(path), "wal");
});

test("a database that is busy at construction is switched to WAL by the first operation", async (t) => {
  const path = join(temporaryFolder(t), "busy.db");
  using database = new DatabaseSync(path);
  await createMigrator({ database }).migrateUp();
  database.exec("BEGIN EXCLUSIVE");
  using driver = new SqliteDriver(database);
  database.exec("COMMIT");
  assert.notEqual(journalMode(path), "wal");
  await insertOne(driver);
  assert.equal(journalMode(path), "wal");
});

test("the constructor refuses what names no file", async (t) => {
  const closed = new DatabaseSync(join(temporaryFolder(t), "closed.db"));
  closed.close();
  using memory = new DatabaseSync(":memory:");
  using temporary = new DatabaseSync("");
  for (const database of [memory, temporary]) {
    assert.throws(() => new SqliteDriver(database), { code: "configuration", message: /SqliteDriver\.memory\(\)/ });
  }
  assert.throws(() => new SqliteDriver(closed), { code: "configuration", message: /closed/ });
  assert.throws(() => new SqliteDriver({} as DatabaseSync), { code: "configuration", message: /^database: / });
});

test("options are checked by name", async (t) => {
  using database = new DatabaseSync(join(temporaryFolder(t), "options.db"));
  const wrong: [unknown, RegExp][] = [
    [null, /^options must be an object$/],
    [[], /^options must be an object$/],
    [{ bussyTimeout: 1 }, /^options\.bussyTimeout is not an option; did you mean busyTimeout\?$/],
    [{ busyTimeoutMs: 1 }, /^options\.busyTimeoutMs is not an option; use busyTimeout with a duration/],
    [
      { wait: 1, busyTimeout: 5 },
      /^options\.wait is not an option; known are busyTimeout; options\.busyTimeout must be/,
    ],
    [{ busyTimeout: 5 }, /^options\.busyTimeout must be a duration/],
    [{ busyTimeout: { years: 1 } }, /^options\.busyTimeout must be a duration/],
    [{ busyTimeout: { seconds: -1 } }, /^options\.busyTimeout must not be negative$/],
    [{ busyTimeout: {} }, /^options\.busyTimeout must be a duration/],
    [{ busyTimeout: { seconds: null } }, /^options\.busyTimeout must be a duration/],
    [{ busyTimeout: { seconds: "5" } }, /^options\.busyTimeout must be a duration/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => new SqliteDriver(database, options as never), { code: "configuration", message });
    assert.throws(() => SqliteDriver.memory(options as never), { code: "configuration", message });
  }
  new SqliteDriver(database, { busyTimeout: Temporal.Duration.from({ days: 1 }) }).close();
});

test("a memory database is new, shared by its handles, and lives as long as one is open", async () => {
  const driver = SqliteDriver.memory();
  using other = SqliteDriver.memory();
  await createMigrator(driver).migrateUp();
  const { id } = await insertOne(driver);
  const handle = driver.connect();
  assert.equal(handle.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"], 1);
  await assert.rejects(other.openSession({ listens: false, leads: false }), { code: "configuration" });
  driver.close();
  using again = new SqliteDriver(handle);
  handle.close();
  assert.equal((await read(again, id)).id, id);
});

test("connect() refuses options that are no object", () => {
  using driver = SqliteDriver.memory();
  for (const options of [0, "x", null, true, []]) {
    assert.throws(() => driver.connect(options as never), { code: "configuration", message: /expected an object/ });
  }
});

test("connect() opens handles that take part in transactions and outlive the driver", async (t) => {
  const { driver } = await driverFixture(t);
  using handle = driver.connect({ readBigInts: true });
  await transaction(handle, (tx) =>
    driver.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" }, { scope: { owner: "caller", tx } }),
  );
  driver.close();
  assert.equal(handle.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"], 1n);
  assert.throws(() => driver.connect(), { code: "lifecycle" });
});

test("another path to the file is the same database", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const link = `${lease.path}-link`;
  symlinkSync(lease.path, link);
  using linked = new DatabaseSync(link);
  await transaction(linked, async (tx) => {
    await assert.rejects(insertOne(driver), { reason: "reentrant" });
    await driver.jobs.insert(
      { jobs: [newJob()], notices: [], durability: "default" },
      { scope: { owner: "caller", tx } },
    );
  });
});

test("close() needs every session ended, may be repeated, and leaves the application's handle open", async (t) => {
  const { driver, database } = await driverFixture(t);
  const session = await driver.openSession({ listens: true, leads: true });
  assert.throws(() => driver.close(), { code: "lifecycle" });
  await session.close();
  await session.close();
  driver.close();
  driver.close();
  assert.ok(database.isOpen);
  await assert.rejects(driver.jobs.get({ id: 1n }), { code: "lifecycle" });
  await assert.rejects(
    driver.transaction((scope) => driver.jobs.get({ id: 1n }, { scope }), { durability: "default" }),
    {
      code: "lifecycle",
    },
  );
});

test("a session needs River's tables, of version 7 or 8", async (t) => {
  const path = join(temporaryFolder(t), "versions.db");
  using database = new DatabaseSync(path);
  using driver = new SqliteDriver(database);
  const needs = { listens: true, leads: true };
  const message = /river_job.*riverqueue migrate-up.*createMigrator/;
  await assert.rejects(driver.openSession(needs), { code: "configuration", message });
  const migrator = createMigrator(driver);
  await migrator.migrateUp({ targetVersion: 6 });
  await assert.rejects(driver.openSession(needs), { code: "configuration", message: /river_notification/ });
  for (const targetVersion of [7, 8]) {
    await migrator.migrateUp({ targetVersion });
    const session = await driver.openSession(needs);
    const [inserted] = await session.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" });
    assert.equal(inserted?.job.maxAttempts, 25);
    assert.equal((await read(driver, inserted?.job.id ?? 0n)).maxAttempts, 25);
    await session.close();
  }
});

test("the traits of SQLite", async (t) => {
  const { driver } = await driverFixture(t);
  assert.deepEqual(driver.traits, {
    listens: true,
    singleWriter: true,
    schemas: false,
    timePrecision: "milliseconds",
    outbox: true,
  });
  assert.ok(driver.canWork);
});
