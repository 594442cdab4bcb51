/** Unique insertions, by the row version of the server and by nonce, and insertions that share a statement. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import type { InsertedJob, JobToInsert } from "riverqueue/driver";
import { PgDriver } from "@riverqueue/driver-pg";
import { claimOne, driverFixture, endOf, insertOne, keyOf, newJob, read, settle } from "./fixture/driver-fixture.ts";
import { heardBy } from "./fixture/heard-by.ts";
import { shortenTimers } from "./fixture/shorten-timers.ts";

failOnLeaks();

const DEFAULT_STATES = 245;

function insertAll(driver: PgDriver, ...jobs: Partial<JobToInsert>[]): Promise<readonly InsertedJob[]> {
  return driver.jobs.insert({ jobs: jobs.map(newJob), notices: [], durability: "default" });
}

for (const server of ["postgres", "yugabyte"] as const) {
  test(`${server}: a duplicate is answered with the row that holds the key, which stays as it is`, async (t) => {
    const { driver } = await driverFixture(t, { server });
    const unique = { uniqueKey: keyOf(1), uniqueStates: DEFAULT_STATES };
    const holder = await insertOne(driver, { ...unique, kind: "first", metadata: '{"m":1}' });
    const before = await read(driver, holder.id);
    const results = await insertAll(driver, { kind: "a" }, { ...unique, kind: "second", metadata: '{"m":2}' }, {});
    assert.deepEqual(
      results.map(({ duplicate }) => duplicate),
      [false, true, false],
    );
    const [first, duplicate, last] = results.map(({ job }) => job);
    assert.ok(first && duplicate && last);
    assert.deepEqual([duplicate.id, duplicate.kind], [holder.id, "first"]);
    assert.ok(first.id > holder.id && last.id > first.id + 1n);
    const after = await read(driver, holder.id);
    for (const key of ["kind", "metadata", "state", "args"] as const) assert.equal(after[key], before[key]);
    assert.equal(JSON.parse(after.metadata).m, 1);
  });

  test(`${server}: a key is free again once its row leaves the states of its mask`, async (t) => {
    const { driver } = await driverFixture(t, { server });
    const unique = { uniqueKey: keyOf(1), uniqueStates: DEFAULT_STATES };
    await insertOne(driver, unique);
    await settle(driver, endOf(await claimOne(driver), { state: "discarded" }));
    const [again] = await insertAll(driver, unique);
    assert.equal(again?.duplicate, false);
    assert.deepEqual(again.job.uniqueKey, keyOf(1));
    assert.equal(again.job.uniqueStates, DEFAULT_STATES);
  });
}

test("on a server without notifications nothing is sent and nothing can be heard", async (t) => {
  const { driver, lease } = await driverFixture(t, { server: "yugabyte" });
  assert.equal(driver.traits.listens, false);
  const heard = await heardBy(lease);
  await driver.jobs.insert({
    jobs: [newJob()],
    notices: [{ topic: "river_insert", payload: "{}" }],
    durability: "default",
  });
  await driver.jobs.cancel({ id: 1n, requestedAt: Temporal.Now.instant() });
  await driver.queues.pause({ name: "*" });
  await driver.notices.send({ notices: [{ topic: "river_control", payload: "{}" }] });
  assert.deepEqual(await heard(0), []);
});

test("insertions in flight share statements, and each succeeds or fails by itself", async (t) => {
  const { driver, pool, lease } = await driverFixture(t);
  const calls = Array.from({ length: 200 }, (_, index) =>
    insertAll(driver, index === 77 ? { priority: 9 } : { args: `{"n":${index}}` }, { kind: "second" }),
  );
  const results = await Promise.allSettled(calls);
  assert.deepEqual(
    results.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
    [77],
  );
  assert.equal(pool.totalCount, 1);
  for (const [index, result] of results.entries()) {
    if (result.status === "rejected") continue;
    assert.equal(result.value[0]?.job.args, `{"n":${index}}`);
    assert.equal((await read(driver, result.value[0]?.job.id ?? 0n)).args, `{"n": ${index}}`);
  }
  assert.deepEqual(await lease.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 398 }]);
});

test("an insertion and its notice are one: both or neither", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const heard = await heardBy(lease);
  const notices = [{ topic: "river_insert", payload: '{"queue": "default"}' } as const];
  await assert.rejects(
    driver.jobs.insert({ jobs: [newJob({ priority: 9 })], notices, durability: "default" }),
    (error: Record<string, unknown>) => {
      assert.deepEqual(error["details"], { reason: "constraint", rowCaused: true, sqlstate: "23514" });
      assert.equal((error["cause"] as Record<string, unknown>)["constraint"], "priority_in_range");
      return true;
    },
  );
  for (const durability of ["default", "relaxed"] as const) {
    await driver.jobs.insert({ jobs: [newJob()], notices, durability });
  }
  assert.deepEqual(await heard(2), [
    ["public.river_insert", '{"queue": "default"}'],
    ["public.river_insert", '{"queue": "default"}'],
  ]);
});

test("insertions do not wait behind one that a half-open connection never answers", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url });
  const driver = new PgDriver(pool);
  shortenTimers(t, { 1_000: 50 });
  await insertAll(driver, {});
  proxy.stall();
  const lost = insertAll(driver, { kind: "lost" }).catch((error: unknown) => error);
  await pollUntil(() => pool.idleCount === 0);
  const [behind] = await insertAll(driver, { kind: "behind" });
  const [next] = await insertAll(driver, { kind: "next" });
  assert.deepEqual([behind?.job.kind, next?.job.kind], ["behind", "next"]);
  proxy.cut();
  assert.equal(((await lost) as { readonly code?: unknown }).code, "database");
});
