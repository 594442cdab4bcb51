/** Several connections and processes on one file. */
import assert from "node:assert/strict";
import test from "node:test";
import { spawnNode } from "@riverqueue/internal-test-kit";
import { claim, driverFixture, endOf, insert, insertOne, read } from "./fixture/driver-fixture.ts";

function turnOfTheLoop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}

test("C24 another process holds the lock: the loop goes on turning, and all is written once the lock is free", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 100 }, () => ({})));
  const jobs = await claim(driver);
  const holder = spawnNode(t, new URL("./testdata/hold-lock.ts", import.meta.url), [lease.path]);
  assert.equal(await holder.next(), "locked");
  let pending = 3;
  const done = (): void => void (pending -= 1);
  const settled = driver.jobs.settle({ settlements: jobs.map((job) => endOf(job)), wantRows: false }).finally(done);
  const inserted = insertOne(driver).finally(done);
  const claimed = claim(driver).finally(done);
  for (let turn = 0; turn < 50; turn += 1) await turnOfTheLoop();
  assert.equal(pending, 3);
  assert.equal((await read(driver, jobs[0]?.id ?? 0n)).state, "running");
  holder.endInput();
  assert.ok((await settled).every(({ outcome }) => outcome === "settled"));
  await Promise.all([inserted, claimed]);
});

test("timeoutMs ends the wait for the lock before busyTimeout does", async (t) => {
  const { driver, database } = await driverFixture(t);
  database.exec("BEGIN IMMEDIATE");
  const params = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null };
  await assert.rejects(driver.jobs.claim(params, { timeoutMs: 10 }), { code: "database", retryable: true });
  database.exec("COMMIT");
  assert.deepEqual((await driver.jobs.claim(params, { timeoutMs: 10 })).jobs, []);
});

test("a deferred transaction of the application that cannot write any more is told so at once", async (t) => {
  const { driver, database } = await driverFixture(t);
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM river_job").get();
  await insertOne(driver);
  const scope = { owner: "caller", tx: database } as const;
  await assert.rejects(driver.queues.keepAlive({ name: "q" }, { scope }), { code: "database", retryable: true });
  database.exec("ROLLBACK");
});

test("four processes insert 100 unique keys with true answers and work every job once", async (t) => {
  const { driver, lease, database } = await driverFixture(t);
  const script = new URL("./testdata/insert-and-claim.ts", import.meta.url);
  const children = ["a", "b", "c", "d"].map((name) => spawnNode(t, script, [lease.path, name, "250"]));
  const reports = await Promise.all(children.map((child) => child.next<{ inserted: number; duplicates: number }>()));
  assert.equal(
    reports.reduce((sum, { inserted }) => sum + inserted, 0),
    100,
  );
  assert.equal(
    reports.reduce((sum, { duplicates }) => sum + duplicates, 0),
    900,
  );
  await insert(driver, ...Array.from({ length: 1_900 }, () => ({})));
  for (const child of children) child.send("work");
  const worked = await Promise.all(children.map((child) => child.next<{ worked: string[] }>()));
  const ids = worked.flatMap((report) => report.worked);
  assert.equal(ids.length, 2_000);
  assert.equal(new Set(ids).size, 2_000);
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_job WHERE state = 'completed'").get()?.["n"], 2_000);
});
