/** Queues that are added, changed and removed while a client runs. */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import test from "node:test";
import { failOnLeaks, ManualClock, withDeadline } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("a queue is added, changed, removed and added again, each with its event", async (t) => {
  const { start, insert, events, client } = await clientOnSqlite(t);
  const run = await start();
  await insert(1, { queue: "extra" });
  await run.addQueue("extra", quickQueue(3));
  assert.equal(run.diagnostics.queues["extra"]?.maxWorkers, 3);
  await events.when("job_completed");
  await run.updateQueue("extra", { maxWorkers: 7, fetchCooldown: { seconds: 1 } });
  const { fetchCooldown, maxWorkers, pollInterval, paused } = run.diagnostics.queues["extra"] ?? {};
  assert.deepEqual(
    [fetchCooldown?.toString(), maxWorkers, pollInterval?.toString(), paused],
    ["PT1S", 7, "PT1S", false],
  );
  assert.equal(await run.removeQueue("extra"), true);
  assert.equal(await run.removeQueue("extra"), false);
  assert.deepEqual(Object.keys(run.diagnostics.queues), ["default"]);
  await insert(1, { queue: "extra" });
  await run.addQueue("extra", quickQueue());
  await events.when("job_completed", 2);
  assert.deepEqual(
    ["queue_added", "queue_reconfigured", "queue_removed"].map((kind) => events.kinds()[kind]),
    [2, 1, 1],
  );
  assert.deepEqual(events.of("queue_removed")[0]?.queueName, "extra");
  assert.equal(events.of("queue_added")[0]?.queue.name, "extra");
  assert.equal((await client.queues.get("extra"))?.name, "extra");
});

test("bad queues are refused by path and change nothing", async (t) => {
  const { start } = await clientOnSqlite(t);
  const run = await start();
  const bad: [() => Promise<unknown>, RegExp][] = [
    [() => run.addQueue("default", quickQueue()), /queue "default" is already worked/],
    [() => run.addQueue("Bad", quickQueue()), /queue "Bad"/],
    [() => run.addQueue("q", { maxWorkers: 0 }), /queue "q"\.maxWorkers must be an integer/],
    [() => run.addQueue("q", null as never), /queue "q" must be an object/],
    [() => run.addQueue(5 as never, quickQueue()), /queue/],
    [() => run.updateQueue("q", quickQueue()), /queue "q" is not worked/],
    [() => run.updateQueue("default", { maxWorkers: 1, pollIntervalMs: 5 } as never), /use pollInterval/],
  ];
  for (const [change, message] of bad) {
    await assert.rejects(change(), (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.deepEqual(run.diagnostics.queues["default"]?.maxWorkers, 10);
});

test("a lower capacity interrupts no attempt, and a higher one is used at once", async (t) => {
  const finish = deferred<void>();
  const { start, insert, events } = await clientOnSqlite(t, {
    client: { queues: { default: { ...quickQueue(3), pollInterval: { hours: 1 } } } },
    handler: () => finish.promise,
  });
  await insert(6);
  const run = await start();
  await events.when("job_started", 3);
  await run.updateQueue("default", { ...quickQueue(1), pollInterval: { hours: 1 } });
  assert.equal(run.diagnostics.activeAttempts, 3);
  await run.updateQueue("default", { ...quickQueue(5), pollInterval: { hours: 1 } });
  await events.when("job_started", 5);
  assert.equal(run.diagnostics.activeAttempts, 5);
  finish.resolve();
  await events.when("job_completed", 6);
});

test("removing a queue waits for its attempts and claims no more from it", async (t) => {
  const finish = deferred<void>();
  const { start, insert, events, states } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(1) } },
    handler: () => finish.promise,
  });
  await insert(2);
  const run = await start();
  await events.when("job_started");
  let removed = false;
  const removing = run.removeQueue("default").then((done) => (removed = done));
  await new Promise(setImmediate);
  assert.equal(removed, false);
  finish.resolve();
  await removing;
  await run.stop();
  assert.deepEqual(states(), { available: 1, completed: 1 });
});

test("a queue that is being removed holds up no change of another", async (t) => {
  const finish = deferred<void>();
  const { start, insert, events } = await clientOnSqlite(t, { handler: () => finish.promise });
  await insert();
  const run = await start();
  await events.when("job_started");
  const removing = run.removeQueue("default");
  await withDeadline(run.addQueue("extra", quickQueue()), "the addition");
  await withDeadline(run.updateQueue("extra", quickQueue(2)), "the change");
  assert.equal(await withDeadline(run.removeQueue("extra"), "the other removal"), true);
  assert.deepEqual(Object.keys(run.diagnostics.queues), ["default"]);
  finish.resolve();
  assert.equal(await removing, true);
});

test("a job cannot remove the queue it came from, which would wait for it, but another one", async (t) => {
  const removals: unknown[] = [];
  const later = deferred<() => Promise<boolean>>();
  const { start, insert, events } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(), other: quickQueue() } },
    handler: async () => {
      removals.push(await run.removeQueue("default").catch((error: unknown) => error));
      removals.push(await run.removeQueue("other"));
      later.resolve(AsyncLocalStorage.bind(() => run.removeQueue("default")));
    },
  });
  const run = await start();
  await insert();
  await events.when("job_completed");
  const [error, removed] = removals;
  assert.ok(error instanceof LifecycleError);
  assert.match(error.message, /^queue "default" cannot be removed from inside one of its jobs/);
  assert.equal(removed, true);
  // What the job left behind may do it once the job has ended.
  const remove = await later.promise;
  assert.equal(await remove(), true);
});

test("C15 a queue that is being removed when the client stops is removed, and one asked for later is refused", async (t) => {
  for (const first of ["stop", "remove"]) {
    const finish = deferred<void>();
    const { start, insert, events } = await clientOnSqlite(t, { handler: () => finish.promise });
    await insert();
    const run = await start();
    await events.when("job_started");
    const removing = first === "remove" ? run.removeQueue("default") : Promise.resolve(true);
    await new Promise(setImmediate);
    const stopping = run.stop();
    // The shutdown waits for the attempt by now.
    await new Promise(setImmediate);
    for (const name of ["default", "unknown"]) await assert.rejects(run.removeQueue(name), LifecycleError);
    finish.resolve();
    assert.equal(await withDeadline(removing, "the removal"), true);
    await withDeadline(stopping, "the stop");
    await assert.rejects(run.removeQueue("default"), LifecycleError);
    assert.equal(events.of("queue_removed").length, first === "remove" ? 1 : 0);
  }
});

test("C15 a queue that is added or changed while the client stops is refused, and nothing of it runs", async (t) => {
  const storing = deferred<void>();
  const store = deferred<void>();
  let slow = false;
  const { start, insert, states } = await clientOnSqlite(t, {
    intercept: async (verb, _, proceed) => {
      if (verb === "queues.keepAlive" && slow) {
        storing.resolve();
        await store.promise;
      }
      return proceed();
    },
  });
  const run = await start();
  await insert(1, { queue: "late" });
  slow = true;
  const adding = assert.rejects(run.addQueue("late", quickQueue()), LifecycleError);
  await storing.promise;
  const stopping = run.stop();
  store.resolve();
  await adding;
  await stopping;
  await assert.rejects(run.addQueue("later", quickQueue()), LifecycleError);
  await assert.rejects(run.updateQueue("default", quickQueue()), LifecycleError);
  assert.deepEqual(Object.keys(run.diagnostics.queues), ["default"]);
  assert.deepEqual(states(), { available: 1 });
});

test("a queue that was paused before it is added, or just while, claims nothing", async (t) => {
  const storing = deferred<void>();
  const stored = deferred<void>();
  let slow = false;
  const { start, insert, client, driver, events } = await clientOnSqlite(t, {
    client: { queueControlPollInterval: { hours: 1 } },
    intercept: async (verb, _, proceed) => {
      const result = await proceed();
      if (verb === "queues.keepAlive" && slow) {
        storing.resolve();
        await stored.promise;
      }
      return result;
    },
  });
  await driver.queues.keepAlive({ name: "before" });
  await client.queues.pause("before");
  const run = await start();
  await run.addQueue("before", quickQueue());
  assert.equal(run.diagnostics.queues["before"]?.paused, true);
  slow = true;
  const adding = run.addQueue("while", quickQueue());
  await storing.promise;
  await client.queues.pause("while");
  await new Promise(setImmediate);
  stored.resolve();
  await adding;
  await events.when("queue_paused", 1, ({ queue }) => queue.name === "while");
  assert.equal(run.diagnostics.queues["while"]?.paused, true);
  await insert(1, { queue: "before" });
  await run.stop();
  assert.equal(events.of("job_started").length, 0);
});

test("rows of worked queues are kept alive every ten minutes, paused ones too, and made again when deleted", async (t) => {
  const clock = new ManualClock();
  const { start, client, sql } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true, queues: { default: quickQueue(), other: quickQueue() } },
  });
  await start();
  await client.queues.pause("default");
  sql.exec("DELETE FROM river_queue WHERE name = 'other'");
  await clock.advance(1_000 + 599_000);
  assert.equal(await client.queues.get("other"), null);
  await clock.advance(2_000);
  const rows = await Promise.all(["default", "other"].map((name) => client.queues.get(name)));
  assert.deepEqual(
    rows.map((row) => row?.updatedAt.toString()),
    ["2026-01-02T03:14:06.178Z", "2026-01-02T03:14:06.178Z"],
  );
  assert.ok(rows[0]?.pausedAt);
});
