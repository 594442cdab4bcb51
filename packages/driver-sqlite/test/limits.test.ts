/** How much goes into one statement or transaction, and how long what waits waits. */
import assert from "node:assert/strict";
import { type SQLOutputValue, StatementSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { BusyBackoff } from "../src/connection/busy-backoff.ts";
import { LoopFairness } from "../src/connection/loop-fairness.ts";
import { resolveDriverOptions } from "../src/driver-options.ts";
import { INSERT, INSERT_ONE } from "../src/sql/jobs/insert.ts";
import { driverFixture, insert } from "./fixture/driver-fixture.ts";

failOnLeaks();

type AllRows = (this: StatementSync, ...values: unknown[]) => Record<string, SQLOutputValue>[];

/** Counts how often statements with one of `texts` run from now on. */
function countRuns(t: TestContext, method: "all" | "run", ...texts: string[]): () => number {
  const { mock } = t.mock.method(StatementSync.prototype, method);
  return () => {
    const count = mock.calls.filter((call) => texts.includes((call.this as StatementSync).sourceSQL)).length;
    mock.resetCalls();
    return count;
  };
}

function jobs(count: number): object[] {
  return Array.from({ length: count }, () => ({}));
}

/** Time as the driver measures it, standing still until it is set. */
function manualTime(t: TestContext): { now: number } {
  const time = { now: 0 };
  t.mock.method(performance, "now", () => time.now);
  return time;
}

test("a lock is waited for 5 seconds by default", () => {
  assert.deepEqual(resolveDriverOptions(undefined), { busyTimeoutMs: 5_000 });
  assert.deepEqual(resolveDriverOptions({}), { busyTimeoutMs: 5_000 });
});

test("a lock is tried for after 1 ms, then twice as long each time, up to 50 ms", async (t) => {
  const pauses: number[] = [];
  const time = manualTime(t);
  t.mock.method(Math, "random", () => 0.5);
  t.mock.method(globalThis, "setTimeout", (callback: () => void, ms: number) => {
    pauses.push(ms);
    time.now += ms;
    callback();
  });
  const backoff = new BusyBackoff(200);
  while (time.now < 200) await backoff.pause("jobs.claim", null);
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 50, 50, 37]);
  await assert.rejects(backoff.pause("jobs.claim", null), { code: "database", retryable: true });
});

test("units that follow each other for 50 ms let the event loop turn", async (t) => {
  const time = manualTime(t);
  const fairness = new LoopFairness();
  for (time.now of [0, 20, 49.9]) assert.equal(fairness.turnIfDue(), null);
  time.now = 50;
  const turn = fairness.turnIfDue();
  assert.ok(turn !== null);
  await turn;
  assert.equal(fairness.turnIfDue(), null);
});

test("insertions of up to 100 jobs share a transaction, of up to 1,000 rows", async (t) => {
  const { driver } = await driverFixture(t);
  const commits = countRuns(t, "run", "COMMIT");
  const insertTogether = async (calls: number, each: number): Promise<number> => {
    await Promise.all(Array.from({ length: calls }, () => insert(driver, ...jobs(each))));
    return commits();
  };
  assert.equal(await insertTogether(2, 100), 1);
  assert.equal(await insertTogether(2, 101), 2);
  assert.equal(await insertTogether(10, 100), 1);
  assert.equal(await insertTogether(20, 100), 2);
  assert.equal(await insertTogether(11, 99), 2);
});

test("one statement inserts up to 1,000 rows with up to 16,000,000 characters", async (t) => {
  const { driver } = await driverFixture(t);
  const statements = countRuns(t, "all", INSERT, INSERT_ONE);
  await insert(driver, ...jobs(1_000));
  assert.equal(statements(), 1);
  await insert(driver, ...jobs(1_001));
  assert.equal(statements(), 2);
  const half = { args: JSON.stringify("x".repeat(7_999_996)) };
  await insert(driver, half, half);
  assert.equal(statements(), 1);
  await insert(driver, half, { ...half, metadata: "{ }" });
  assert.equal(statements(), 2);
});

for (const [tookMs, outcome] of [
  [30_000, "ends"],
  [30_001, "is given up"],
] as const) {
  test(`a search in metadata that has taken ${tookMs} ms ${outcome}`, async (t) => {
    const { driver } = await driverFixture(t);
    await insert(driver, ...jobs(251));
    const time = manualTime(t);
    const { value: all } = Object.getOwnPropertyDescriptor(StatementSync.prototype, "all") as { value: AllRows };
    t.mock.method(StatementSync.prototype, "all", function (this: StatementSync, ...values: unknown[]) {
      time.now += tookMs;
      return all.apply(this, values);
    } as AllRows);
    const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 9, metadata: '{"a":1}' } as const;
    const listing = driver.jobs.list(params);
    if (outcome === "ends") assert.deepEqual(await listing, []);
    else await assert.rejects(listing, { code: "database", retryable: true, message: /longer than 30000 ms/ });
  });
}

test("what other connections write to the outbox is looked for every 50 ms", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const heard: string[] = [];
  t.mock.timers.enable({ apis: ["setInterval"] });
  const stream = await driver.notices.listen({
    topics: ["river_insert"],
    onNotice: ({ payload }) => heard.push(payload),
    onLost: assert.fail,
  });
  t.mock.timers.tick(50);
  lease.open().exec("INSERT INTO river_notification (topic, payload) VALUES ('river_insert', 'other')");
  t.mock.timers.tick(49);
  assert.deepEqual(heard, []);
  t.mock.timers.tick(1);
  assert.deepEqual(heard, ["other"]);
  await stream.close();
});
