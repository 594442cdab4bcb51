/** Whose transaction a verb runs in, and what is refused because it would wait for itself. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { DatabaseOperationError, TransactionScopeError, type Scope } from "riverqueue/driver";
import { driverFixture, insertOne, newJob } from "./fixture/driver-fixture.ts";

const SHORT = { busyTimeout: { milliseconds: 20 } };

function insertion(count = 1): { jobs: ReturnType<typeof newJob>[]; notices: []; durability: "default" } {
  return { jobs: Array.from({ length: count }, () => newJob()), notices: [], durability: "default" };
}

function scopeError(reason: TransactionScopeError["reason"]): (error: unknown) => boolean {
  return (error) => error instanceof TransactionScopeError && error.reason === reason;
}

function countJobs(database: DatabaseSync): unknown {
  return database.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"];
}

function nothing(): void {}

function turnOfTheLoop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}

test("a handle that was closed and opened again still takes part", async (t) => {
  const { driver, database } = await driverFixture(t);
  const scope: Scope<DatabaseSync> = { owner: "caller", tx: database };
  for (const expected of [1, 2]) {
    database.exec("BEGIN");
    await driver.jobs.insert(insertion(), { scope });
    database.exec("COMMIT");
    assert.equal(countJobs(database), expected);
    database.close();
    database.open();
  }
});

test("an insertion of River's takes the write lock at its first statement", async (t) => {
  const { driver, database, lease } = await driverFixture(t);
  const other = lease.open();
  await driver.transaction(
    async (scope) => {
      other.exec("BEGIN IMMEDIATE; COMMIT");
      await driver.jobs.insert(insertion(), { scope });
      assert.throws(() => other.exec("BEGIN IMMEDIATE"));
      await Promise.resolve();
      await driver.jobs.insert(insertion(), { scope });
      assert.equal(countJobs(database), 0);
    },
    { durability: "default" },
  );
  assert.equal(countJobs(database), 2);
});

test("an insertion of River's waits for I/O freely before its first statement", async (t) => {
  const { driver, database, lease } = await driverFixture(t);
  const value = await driver.transaction(
    async (scope) => {
      await readFile(lease.path);
      await driver.jobs.insert(insertion(), { scope });
      return "value";
    },
    { durability: "relaxed" },
  );
  assert.equal(value, "value");
  assert.equal(countJobs(database), 1);
});

test("event_loop_turn: I/O while the lock is held rolls the insertion back at once", async (t) => {
  const { driver, database, lease } = await driverFixture(t);
  const hanging = Promise.withResolvers<void>();
  let scopeAfterwards: Scope<DatabaseSync> | undefined;
  const inserted = driver.transaction(
    async (scope) => {
      scopeAfterwards = scope;
      await driver.jobs.insert(insertion(), { scope });
      await hanging.promise;
    },
    { durability: "default" },
  );
  await assert.rejects(inserted, scopeError("event_loop_turn"));
  lease.open().exec("BEGIN IMMEDIATE; COMMIT");
  assert.equal(countJobs(database), 0);
  await assert.rejects(driver.jobs.insert(insertion(), { scope: scopeAfterwards }), scopeError("event_loop_turn"));
  hanging.resolve();
  await insertOne(driver);
});

test("an insertion that never got the lock has not succeeded, even if its body ignores that", async (t) => {
  const { driver, database } = await driverFixture(t, SHORT);
  database.exec("BEGIN IMMEDIATE");
  const ignored = driver.transaction((scope) => driver.jobs.insert(insertion(), { scope }).catch(nothing), {
    durability: "default",
  });
  await assert.rejects(ignored, { code: "database", retryable: true });
  database.exec("COMMIT");
});

test("reentrant: any call without a scope inside River's transaction, once it holds the lock", async (t) => {
  const { driver, database } = await driverFixture(t);
  await driver.transaction(
    async (scope) => {
      await insertOne(driver);
      await driver.jobs.insert(insertion(), { scope });
      await assert.rejects(driver.jobs.get({ id: 1n }), scopeError("reentrant"));
      await assert.rejects(insertOne(driver), scopeError("reentrant"));
      await assert.rejects(
        driver.transaction(() => Promise.resolve(), { durability: "default" }),
        scopeError("reentrant"),
      );
    },
    { durability: "default" },
  );
  assert.equal(countJobs(database), 2);
  await insertOne(driver);
});

test("reentrant: a write without { tx } inside transaction(), reads being free", async (t) => {
  const { driver, database } = await driverFixture(t);
  await transaction(database, async (tx) => {
    await assert.rejects(insertOne(driver), scopeError("reentrant"));
    assert.equal(await driver.jobs.get({ id: 1n }), null);
    await driver.jobs.insert(insertion(), { scope: { owner: "caller", tx } });
  });
  assert.equal(countJobs(database), 1);
  await insertOne(driver);
});

test("the runtime's own work set off inside transaction() waits for its end", async (t) => {
  const { driver, database } = await driverFixture(t);
  const session = await driver.openSession({ listens: false, leads: false });
  let inserted: Promise<unknown> | undefined;
  await transaction(database, async () => {
    inserted = session.jobs.insert(insertion());
    await turnOfTheLoop();
    assert.equal(countJobs(database), 0);
  });
  await inserted;
  assert.equal(countJobs(database), 1);
  await session.close();
});

test("nested: transaction() inside a transaction on the same database", async (t) => {
  const { driver, database, lease } = await driverFixture(t);
  const other = lease.open();
  await transaction(database, async () => {
    await assert.rejects(transaction(database, nothing), scopeError("nested"));
    await assert.rejects(transaction(other, nothing), scopeError("nested"));
  });
  database.exec("BEGIN");
  await assert.rejects(transaction(database, nothing), scopeError("nested"));
  database.exec("COMMIT");
  await driver.transaction(
    async (scope) => {
      await transaction(other, nothing);
      await driver.jobs.insert(insertion(), { scope });
      await assert.rejects(transaction(other, nothing), scopeError("nested"));
    },
    { durability: "default" },
  );
  await transaction(other, nothing);
});

test("transactions on different databases nest", async (t) => {
  const { driver, database } = await driverFixture(t);
  const { driver: second, database: secondDatabase } = await driverFixture(t);
  await transaction(database, async (tx) => {
    await insertOne(second);
    await transaction(secondDatabase, (inner) =>
      second.jobs.insert(insertion(), { scope: { owner: "caller", tx: inner } }),
    );
    await driver.jobs.insert(insertion(), { scope: { owner: "caller", tx } });
  });
  assert.deepEqual([countJobs(database), countJobs(secondDatabase)], [1, 2]);
});

test("a write beside a raw BEGIN waits for busyTimeout and then suggests { tx }", async (t) => {
  const { driver, database } = await driverFixture(t, SHORT);
  database.exec("BEGIN IMMEDIATE");
  await assert.rejects(insertOne(driver), (error) => {
    assert.ok(error instanceof DatabaseOperationError);
    assert.match(error.message, /pass \{ tx \}/);
    assert.deepEqual([error.retryable, error.backend, error.operation], [true, "sqlite", "jobs.insert"]);
    assert.equal(error.details["reason"], "busy");
    return true;
  });
  database.exec("COMMIT");
});

test("transaction() returns the callback's value, may await I/O, and rolls back when it throws", async (t) => {
  const { database, lease } = await driverFixture(t);
  database.exec("CREATE TABLE own (n integer)");
  const value = await transaction(database, async (tx) => {
    assert.equal(tx, database);
    tx.exec("INSERT INTO own VALUES (1)");
    await readFile(lease.path);
    return "value";
  });
  assert.equal(value, "value");
  const boom = new Error("boom");
  const rejected = transaction(database, (tx) => {
    tx.exec("INSERT INTO own VALUES (2)");
    throw boom;
  });
  await assert.rejects(rejected, boom);
  assert.deepEqual(
    database
      .prepare("SELECT n FROM own")
      .all()
      .map(({ n }) => n),
    [1],
  );
  await assert.rejects(
    transaction(database, (tx) => tx.exec("COMMIT")),
    scopeError("no_transaction"),
  );
});

test("transaction() waits for the lock without blocking the loop, for busyTimeout", async (t) => {
  const { database, lease } = await driverFixture(t);
  const other = lease.open();
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(
    transaction(database, () => undefined, SHORT),
    { code: "database", retryable: true },
  );
  const waiting = transaction(database, () => "done");
  await turnOfTheLoop();
  other.exec("COMMIT");
  assert.equal(await waiting, "done");
});

test("transaction() refuses wrong arguments by name", async (t) => {
  const { database, lease } = await driverFixture(t);
  const closed = lease.open();
  closed.close();
  await assert.rejects(transaction({} as DatabaseSync, nothing), { code: "validation", message: /^database: / });
  await assert.rejects(transaction(closed, nothing), { code: "validation", message: /^database: .*closed/ });
  await assert.rejects(transaction(database, null as never), { code: "validation", message: /^callback: / });
  const options = { busyTimeoutMs: 5 } as never;
  await assert.rejects(transaction(database, nothing, options), {
    code: "validation",
    message: "options.busyTimeoutMs is not an option; use busyTimeout with a duration such as { seconds: 5 }",
  });
  const wrong = { busyTimeout: { months: 1 } };
  await assert.rejects(transaction(database, nothing, wrong), {
    code: "validation",
    message: "options.busyTimeout must be a duration of days or smaller units, such as { seconds: 5 }",
  });
});

test("commits on a memory database wait for readers", async (t) => {
  using driver = SqliteDriver.memory();
  const { createMigrator } = await import("@riverqueue/migrate");
  await createMigrator(driver).migrateUp();
  const reader = driver.connect();
  const writer = driver.connect();
  t.after(() => [reader, writer].forEach((handle) => handle.close()));
  const reading = reader.prepare("SELECT 1 FROM river_migration").iterate();
  reading.next();
  const inserted = driver.jobs.insert(insertion(2));
  await turnOfTheLoop();
  reading.return?.();
  await inserted;
  const again = reader.prepare("SELECT 1 FROM river_migration").iterate();
  again.next();
  const committed = transaction(writer, (tx) => driver.jobs.insert(insertion(), { scope: { owner: "caller", tx } }));
  await turnOfTheLoop();
  again.return?.();
  await committed;
  assert.equal(countJobs(reader), 3);
});
