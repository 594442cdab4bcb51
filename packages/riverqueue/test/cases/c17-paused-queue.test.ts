/** Pausing and resuming queues, heard at once or found by polling. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

/** No poll hastens anything here. */
const UNPOLLED = { ...quickQueue(2), pollInterval: { hours: 1 } };

test("C17 a pause lets running jobs finish, lasts across a restart, and a resume starts the rest at once", async (t) => {
  const finish = deferred<void>();
  const first = await clientOnSqlite(t, {
    client: { queues: { default: UNPOLLED }, queueControlPollInterval: { hours: 1 } },
    handler: () => finish.promise,
  });
  const other = await clientOnSqlite(t, {
    database: first.database,
    client: { queues: { default: UNPOLLED }, queueControlPollInterval: { hours: 1 } },
    handler: () => finish.promise,
  });
  await first.insert(50);
  const run = await first.start();
  const otherRun = await other.start();
  await first.events.when("job_started", 2);
  await other.events.when("job_started", 2);
  const paused = await first.client.queues.pause("default");
  assert.ok(paused?.pausedAt);
  await first.events.when("queue_paused");
  await other.events.when("queue_paused");
  finish.resolve();
  await first.events.when("job_completed", 2);
  await other.events.when("job_completed", 2);
  await otherRun.stop();
  assert.deepEqual(first.states(), { available: 46, completed: 4 });

  const again = await clientOnSqlite(t, {
    database: first.database,
    client: { queues: { default: UNPOLLED }, queueControlPollInterval: { hours: 1 } },
  });
  const againRun = await again.start();
  assert.equal(againRun.diagnostics.queues["default"]?.paused, true);
  assert.equal(run.diagnostics.queues["default"]?.paused, true);
  await again.client.queues.resume("default");
  await again.events.when("queue_resumed");
  await again.events.when("job_started");
  await first.events.when("queue_resumed");
  await first.events.when("job_started", 3);
  assert.equal(first.events.of("queue_paused").length, 1);
  assert.equal(other.events.of("queue_paused").length, 1);
  assert.equal(again.events.of("queue_paused").length, 0);
});

test("C17 pausing all queues and resuming one of them", async (t) => {
  const { start, client, insert, events, sql } = await clientOnSqlite(t, {
    client: { queues: { a: UNPOLLED, b: UNPOLLED }, queueControlPollInterval: { hours: 1 } },
  });
  const run = await start();
  assert.equal(await client.queues.pause("*"), null);
  await events.when("queue_paused", 2);
  // A second pause changes nothing.
  await client.queues.pause("a");
  await client.queues.resume("b");
  await events.when("queue_resumed");
  await insert(3, { queue: "a" });
  await insert(3, { queue: "b" });
  await events.when("job_completed", 3);
  assert.deepEqual(
    Object.entries(run.diagnostics.queues).map(([name, { paused }]) => [name, paused]),
    [
      ["a", true],
      ["b", false],
    ],
  );
  assert.equal(sql.prepare("SELECT count(*) AS n FROM river_job WHERE queue = 'a' AND attempt > 0").get()?.["n"], 0);
  assert.equal(events.of("queue_paused").length, 2);
});

test("C17 C14 with pollOnly pause, resume and metadata are found by the control poll every two seconds", async (t) => {
  const clock = new ManualClock();
  const { start, client, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { pollOnly: true, leaderElectionDisabled: true, queues: { default: UNPOLLED } },
  });
  await start();
  await client.queues.pause("default");
  await clock.advance(1_999);
  assert.equal(events.of("queue_paused").length, 0);
  await clock.advance(1);
  await events.when("queue_paused");
  await client.queues.resume("default");
  await client.queues.update("default", { metadata: { a: 1, b: [1, 2] } });
  await clock.advance(2_000);
  await events.when("queue_resumed");
  const [updated] = await events.when("queue_updated");
  assert.equal(JSON.stringify(updated?.queue.metadata), '{"a":1,"b":[1,2]}');
});

test("queue_updated tells changes of meaning only: key order and spaces are none", async (t) => {
  const { start, client, events, sql } = await clientOnSqlite(t, {
    client: { queueControlPollInterval: { milliseconds: 5 } },
  });
  await client.queues.pause("default");
  await start();
  await client.queues.update("default", { metadata: { a: 1, b: 2 } });
  await events.when("queue_updated");
  sql.prepare("UPDATE river_queue SET metadata = jsonb(?)").run('{ "b": 2, "a": 1 }');
  await client.queues.pause("default");
  await client.queues.update("default", { metadata: { a: 2, b: 2 } });
  await events.when("queue_updated", 2);
  assert.equal(events.of("queue_updated").length, 2);
});

test("JS-67 a failing control poll backs off by a count of its own and recovers", async (t) => {
  const clock = new ManualClock();
  const polls: number[] = [];
  let broken = true;
  const { start, client, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { pollOnly: true, leaderElectionDisabled: true, queues: { default: UNPOLLED } },
    intercept: (verb, _, proceed) => {
      if (verb !== "queues.getMany") return proceed();
      polls.push(clock.monotonic());
      if (broken) throw databaseError("transient", verb);
      return proceed();
    },
  });
  await start();
  await clock.advance(9_750);
  assert.deepEqual(polls, [2_000, 2_250, 2_750, 3_750, 5_750, 9_750]);
  broken = false;
  await client.queues.pause("default");
  await clock.advance(8_000);
  await events.when("queue_paused");
  await clock.advance(4_000);
  assert.deepEqual(polls.slice(6), [17_750, 19_750, 21_750]);
});
