/** How much goes into one statement or transaction, and how long what waits waits. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import plainTest from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { dialectFor } from "../src/connection/dialect.ts";
import { PgConnection } from "../src/connection/pg-connection.ts";
import { sqlstateOf } from "../src/connection/pg-failure.ts";
import { PrepareMode } from "../src/connection/prepare-mode.ts";
import { isOneStatement } from "../src/jobs/insert-jobs.ts";
import { PgNoticeStream } from "../src/notices/pg-notice-stream.ts";
import { driverFixture, fromNow, insert, insertOne, newJob } from "./fixture/driver-fixture.ts";

failOnLeaks();

/** The delays of all timers that are set from now on. */
function delaysSet(t: TestContext): () => unknown[] {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  return () => mock.calls.map((call) => call.arguments[1]);
}

plainTest("one statement inserts up to 5,000 rows with up to 64,000,000 characters", () => {
  const job = newJob();
  assert.ok(isOneStatement(Array.from({ length: 5_000 }, () => job)));
  assert.ok(!isOneStatement(Array.from({ length: 5_001 }, () => job)));
  const large = newJob({ args: "x".repeat(63_999_998), metadata: "{}" });
  assert.ok(isOneStatement([large]));
  assert.ok(!isOneStatement([{ ...large, metadata: "{ }" }]));
});

plainTest("a SQLSTATE is found behind up to three errors of adapters", () => {
  const behind = (errors: number): unknown =>
    errors === 0 ? { code: "57014" } : new Error("adapter", { cause: behind(errors - 1) });
  assert.deepEqual([sqlstateOf(behind(3)), sqlstateOf(behind(4))], ["57014", null]);
});

test("insertions of up to 100 jobs share a transaction, of up to 1,000 rows", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const insertTogether = async (calls: number, each: number): Promise<unknown> => {
    await lease.query("TRUNCATE river_job");
    const jobs = Array.from({ length: each }, () => ({}));
    await Promise.all(Array.from({ length: calls }, () => insert(driver, ...jobs)));
    return (await lease.query("SELECT count(DISTINCT xmin::text)::int AS n FROM river_job"))[0]?.["n"];
  };
  assert.equal(await insertTogether(2, 100), 1);
  assert.equal(await insertTogether(2, 101), 2);
  assert.equal(await insertTogether(10, 100), 1);
  assert.equal(await insertTogether(20, 100), 2);
  assert.equal(await insertTogether(11, 99), 2);
});

test("claims go on behind the last one after 1,000 jobs, and come back to the front after 250 ms or 50 claims", async (t) => {
  const { driver } = await driverFixture(t);
  let now = 0;
  t.mock.method(performance, "now", () => now);
  await insert(driver, ...Array.from({ length: 1_200 }, () => ({ priority: 2 })));
  const params = { queue: "default", clientId: "c", kinds: null };
  const backlog = async (limit: number): Promise<object | null> =>
    (await driver.jobs.claim({ ...params, limit, hint: null })).hint;
  /** Whether a claim of one job finds what has come in ahead of the backlog. */
  const findsUrgent = async (hint: object | null): Promise<boolean> => {
    const urgent = await insertOne(driver, { priority: 1, scheduledAt: fromNow(-60_000) });
    const { jobs } = await driver.jobs.claim({ ...params, limit: 1, hint });
    const found = jobs[0]?.id === urgent.id;
    if (!found) await driver.jobs.delete({ id: urgent.id });
    return found;
  };
  let hint = await backlog(1_000);
  assert.equal(await findsUrgent(hint), false);
  now = 249;
  assert.equal(await findsUrgent(hint), false);
  now = 250;
  assert.equal(await findsUrgent(hint), true);

  now = 0;
  for (let claims = 0; claims < 50; claims++) {
    ({ hint } = await driver.jobs.claim({ ...params, limit: 1, hint }));
    if (claims === 48) assert.equal(await findsUrgent(hint), false);
  }
  assert.equal(await findsUrgent(hint), true);
});

test("claims do not go on behind the last one before they have taken 1,000 jobs", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 1_100 }, () => ({ priority: 2 })));
  const params = { queue: "default", clientId: "c", kinds: null };
  const { hint } = await driver.jobs.claim({ ...params, limit: 999, hint: null });
  const urgent = await insertOne(driver, { priority: 1 });
  const { jobs } = await driver.jobs.claim({ ...params, limit: 1, hint });
  assert.equal(jobs[0]?.id, urgent.id);
});

test("searches and looks into the catalog are limited to 30 seconds", async (t) => {
  const { driver } = await driverFixture(t);
  await driver.queues.get({ name: "q" });
  const delays = delaysSet(t);
  await driver.jobs.list({ filter: {}, sortBy: "id", descending: false, after: null, limit: 9 });
  await driver.indexes.existing({ names: [] });
  await driver.indexes.artifacts({ index: "river_job_args_index" });
  assert.deepEqual(
    delays().filter((ms) => Number(ms) >= 20_000),
    [30_000, 30_000, 30_000],
  );
});

test("a cancelled statement is given 5 seconds to end before its connection is closed", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const session = await driver.openSession({ listens: false, leads: true });
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [id]);
  const delays = delaysSet(t);
  await assert.rejects(session.jobs.retry({ id }, { timeoutMs: 100 }), { retryable: true });
  assert.ok(delays().includes(5_000), String(delays()));
  await holder.query("ROLLBACK");
  await session.close();
});

test("C22 a connection quiet for 5 seconds is pinged and given up when 5 more bring no answer", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const client = await lease.pool({ connectionString: proxy.url }).connect();
  const dialect = dialectFor(null, { notifies: true, tellsByXmax: true }, false);
  const connection = new PgConnection(client, () => dialect, new PrepareMode(true), false);
  let lost = false;
  const listener = { topics: ["river_insert"], onNotice: () => {}, onLost: () => void (lost = true) } as const;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await PgNoticeStream.open(connection, listener, () => client.release(true));
  proxy.stall();
  t.mock.timers.tick(5_000);
  t.mock.timers.tick(4_999);
  assert.equal(lost, false);
  t.mock.timers.tick(1);
  assert.equal(lost, true);
});
