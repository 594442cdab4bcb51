import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { JOB_STATES } from "../../src/model/job-state.ts";
import { openOperations } from "./testdata/sqlite-operations.ts";

failOnLeaks();

test("counts have every state and say when they stopped at the cap", async (t) => {
  const { inspect, insert, claim } = await openOperations(t);
  await insert({}, {}, {}, { state: "pending" });
  await claim(1);
  const counts = await inspect.counts();
  assert.deepEqual(
    counts.map(({ state }) => state),
    JOB_STATES,
  );
  const countOf = Object.fromEntries(counts.map(({ state, count }) => [state, count]));
  assert.deepEqual([countOf["available"], countOf["running"], countOf["pending"]], [2, 1, 1]);
  assert.ok(counts.every(({ about }) => !about));
  const capped = await inspect.counts({ cap: 1 });
  assert.equal(capped.find(({ state }) => state === "available")?.about, true);
});

test("a look at the database stops at 10,000 rows and after 2 s unless told otherwise, and waits no longer than a timer can", async (t) => {
  const { inspect, driver } = await openOperations(t);
  const asked = t.mock.method(driver.inspect, "counts");
  await inspect.counts();
  await inspect.counts({ cap: 7, timeout: { milliseconds: 2_147_483_647 } });
  assert.deepEqual(
    asked.mock.calls.map(({ arguments: [bounds] }) => bounds),
    [
      { cap: 10_000, timeoutMs: 2_000 },
      { cap: 7, timeoutMs: 2_147_483_647 },
    ],
  );
  await assert.rejects(inspect.counts({ timeout: { milliseconds: 2_147_483_648 } }), /timeout/);
});

test("throughput has the latest minutes, newest first", async (t) => {
  const { inspect, insert, jobs, database } = await openOperations(t);
  const ids = await insert({}, {}, {});
  for (const id of ids) await jobs.cancel(id);
  // The minutes are those of the database, which does not know the test's clock.
  database.exec("UPDATE river_job SET finalized_at = strftime('%Y-%m-%d %H:%M:%f', 'now')");
  const minutes = await inspect.throughput({ limit: 3 });
  assert.equal(minutes.length, 3);
  const [newest, ...older] = minutes.map(({ minute }) => minute.epochMilliseconds);
  assert.deepEqual(older, [Number(newest) - 60_000, Number(newest) - 120_000]);
  assert.equal(
    minutes.reduce((sum, { cancelled }) => sum + cancelled, 0),
    3,
  );
  assert.ok(minutes.every(({ completed, discarded }) => completed === 0 && discarded === 0));
  assert.equal((await inspect.throughput()).length, 60);
});

test("backlog by queue, load by client and the leader", async (t) => {
  const { inspect, insert, claim, jobs, driver, clock } = await openOperations(t);
  assert.equal(await inspect.leader(), null);
  const [first = 0n] = await insert({ scheduledAt: clock.now().subtract({ minutes: 1 }) }, {}, { queue: "b" });
  await claim(1);
  await jobs.cancel((await insert({}))[0] ?? 0n);
  const depths = await inspect.queues({ limit: 10 });
  assert.deepEqual(
    depths.map(({ queue, available, running }) => [queue, available, running]),
    [
      ["b", 1, 0],
      ["default", 1, 1],
    ],
  );
  await insert({}, {});
  await claim(2, "busy");
  assert.deepEqual(await inspect.clients(), [
    { clientId: "busy", running: 2 },
    { clientId: "tester", running: 1 },
  ]);
  assert.equal((await jobs.get(first))?.state, "running");
  const term = await driver.leader.elect({ clientId: "boss", ttlMs: 10_000 }, { now: clock.now() });
  assert.deepEqual(plain(await inspect.leader()), plain(term));
});
