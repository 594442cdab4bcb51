/** How a running client stops: what goes on, what is aborted, in which order. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, withDeadline } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { aborted, advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("JS-01 JS-02 start gives the handle of a running client, and completed resolves after a stop", async (t) => {
  const { start, client } = await clientOnSqlite(t);
  const run = await start();
  assert.equal(run.state, "running");
  assert.equal(run.diagnostics.clientId, client.clientId);
  const stopped = run.stop();
  assert.equal(run.state, "stopping");
  await withDeadline(run.completed, "completed");
  assert.equal(run.state, "stopped");
  await stopped;
});

test("JS-06 JS-15 a graceful stop claims no more and lets handlers finish without an abort", async (t) => {
  const begun = deferred<void>();
  const finish = deferred<void>();
  const signals: AbortSignal[] = [];
  const { start, insert, states, events } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(2) } },
    handler: async ({ signal }) => {
      if (signals.push(signal) === 2) begun.resolve();
      await finish.promise;
    },
  });
  await insert(5);
  const run = await start();
  await begun.promise;
  assert.equal(run.diagnostics.activeAttempts, 2);
  const stopped = run.stop();
  await insert(1);
  assert.ok(signals.every((signal) => !signal.aborted));
  finish.resolve();
  await stopped;
  assert.deepEqual(states(), { available: 4, completed: 2 });
  assert.equal(events.of("job_completed").length, 2);
});

test("JS-08 JS-13 JS-56 a cancelling stop aborts handlers through their signals and gives their jobs back", async (t) => {
  const begun = deferred<void>();
  const { start, insert, row, events } = await clientOnSqlite(t, {
    handler: async ({ signal }) => {
      begun.resolve();
      throw await aborted(signal);
    },
  });
  const [id = 0n] = await insert(1, { maxAttempts: 1 });
  const run = await start();
  await begun.promise;
  await run.stop({ mode: "cancel" });
  const { state, attempt, errors } = await row(id);
  assert.deepEqual({ state, attempt, errors }, { state: "available", attempt: 0, errors: [] });
  assert.equal(events.of("job_interrupted").length, 1);
});

test("JS-07 a graceful stop becomes a cancel when its timeout elapses, and not before", async (t) => {
  const clock = new ManualClock();
  const begun = deferred<AbortSignal>();
  const { start, insert, states } = await clientOnSqlite(t, {
    environment: { clock },
    client: { jobTimeout: null, leaderElectionDisabled: true },
    handler: async ({ signal }) => {
      begun.resolve(signal);
      throw await aborted(signal);
    },
  });
  await insert();
  const run = await start();
  const signal = await begun.promise;
  const stopped = run.stop({ timeout: { seconds: 20 } });
  await clock.advance(19_999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.ok(signal.reason instanceof LifecycleError);
  await stopped;
  assert.deepEqual(states(), { available: 1 });
});

test("JS-10 calls of stop share one shutdown, which a later call or a signal escalates", async (t) => {
  for (const escalate of ["call", "signal", "aborted signal", "timeout"]) {
    await t.test(`by ${escalate}`, async (part) => {
      const begun = deferred<AbortSignal>();
      const steps: string[] = [];
      const { start, insert } = await clientOnSqlite(part, {
        environment: { probe: (step) => void steps.push(step) },
        handler: async ({ signal }) => {
          begun.resolve(signal);
          throw await aborted(signal);
        },
      });
      await insert();
      const run = await start();
      const signal = await begun.promise;
      const stop = new AbortController();
      const stops = [run.stop({ signal: stop.signal }), run.stop()];
      assert.equal(signal.aborted, false);
      if (escalate === "call") stops.push(run.stop({ mode: "cancel" }));
      else if (escalate === "signal") stop.abort();
      else if (escalate === "aborted signal") stops.push(run.stop({ signal: AbortSignal.abort() }));
      else stops.push(run.stop({ timeout: { milliseconds: 1 } }));
      await Promise.all(stops);
      assert.ok(signal.aborted);
      await run.stop();
      assert.equal(new Set(steps).size, steps.length, steps.join());
      assert.equal(steps.at(-1), "stop: completed");
    });
  }
});

test("JS-04 leaving the scope of an await using handle stops gracefully", async (t) => {
  const finish = deferred<void>();
  const begun = deferred<void>();
  const seen: boolean[] = [];
  const { start, insert, states } = await clientOnSqlite(t, {
    handler: async ({ signal }) => {
      begun.resolve();
      await finish.promise;
      seen.push(signal.aborted);
    },
  });
  await insert();
  let completed: Promise<void> | undefined;
  {
    await using run = await start();
    completed = run.completed;
    await begun.promise;
    setImmediate(() => finish.resolve());
  }
  assert.deepEqual(seen, [false], "the block has ended after the handler, which was not aborted");
  await completed;
  assert.deepEqual(states(), { completed: 1 });
});

test("JS-104 only bad options reject stop, without starting one", async (t) => {
  const { start } = await clientOnSqlite(t);
  const run = await start();
  const bad: [unknown, RegExp][] = [
    [{ mode: "now" }, /^mode must be "graceful" or "cancel"$/],
    [{ timeout: 5 }, /^timeout must be a duration/],
    [{ timeout: { seconds: -1 } }, /^timeout must not be negative$/],
    [{ timeoutMs: 5 }, /^timeoutMs is not an option; use timeout with a duration/],
    [{ signal: "SIGTERM" }, /^signal must be an AbortSignal$/],
    [null, /must be an object/],
    [{ mode: "now", timeout: { weeks: 1 } }, /mode .*; timeout /],
  ];
  for (const [options, message] of bad) {
    await assert.rejects(run.stop(options as never), (error: unknown) => {
      assert.ok(error instanceof ValidationError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(run.state, "running");
  await run.stop();
  await run.completed;
});

test("JS-12 a shutdown runs its steps in their order", async (t) => {
  const steps: string[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    environment: { probe: (step) => void steps.push(step) },
    client: { eventLoopDelay: {} },
  });
  const run = await start();
  await insert();
  await events.when("job_completed");
  await run.stop();
  assert.deepEqual(steps, [
    "stop: leadership and maintenance",
    "stop: queues",
    "stop: cancellation polling",
    "stop: background tasks",
    "stop: run-lifetime services",
    "stop: completions",
    "stop: events",
    "stop: event-loop delay",
    "stop: liveness",
    "stop: completed",
  ]);
});

test("JS-09 a leader resigns and ends maintenance when the stop begins, while its queue drains, and another client leads meanwhile", async (t) => {
  const begun = deferred<void>();
  const finish = deferred<void>();
  const busy = { schedulerInterval: { milliseconds: 5 } };
  const first = await clientOnSqlite(t, {
    client: { maintenance: busy },
    handler: () => {
      begun.resolve();
      return finish.promise;
    },
  });
  const run = await first.start();
  await first.events.when("leader_acquired");
  await first.events.when("maintenance_succeeded", 1, ({ service }) => service === "scheduler");
  await first.insert();
  await begun.promise;
  const bid = deferred<void>();
  const second = await clientOnSqlite(t, {
    database: first.database,
    // Nothing but the notice of the resignation makes it bid again in time.
    client: { maintenance: { ...busy, electionInterval: { hours: 1 } } },
    intercept: async (verb, _, proceed) => {
      const answer = await proceed();
      if (verb === "leader.elect") bid.resolve();
      return answer;
    },
  });
  await second.start();
  await bid.promise;
  const stopped = run.stop();
  await first.events.when("leader_lost");
  const secondPasses = (count: number): Promise<unknown> =>
    second.events.when("maintenance_succeeded", count, ({ service }) => service === "scheduler");
  // A pass of the first that was under way has ended by then.
  await secondPasses(3);
  const passes = run.diagnostics.maintenance?.runs.scheduler;
  // Long enough for passes of the first.
  await secondPasses(8);
  assert.equal(run.diagnostics.activeAttempts, 1);
  assert.equal(run.diagnostics.maintenance?.runs.scheduler, passes);
  assert.ok(passes !== undefined && passes > 0);
  finish.resolve();
  await stopped;
  assert.equal(first.events.of("leader_acquired").length, 1);
});

test("JS-111 cancellations reach running attempts while queues drain", async (t) => {
  const begun = deferred<void>();
  const { start, insert, client, row, events } = await clientOnSqlite(t, {
    handler: async ({ signal }) => {
      begun.resolve();
      throw await aborted(signal);
    },
  });
  const [id = 0n] = await insert();
  const run = await start();
  await begun.promise;
  const stopped = run.stop();
  await client.jobs.cancel(id);
  await stopped;
  assert.equal((await row(id)).state, "cancelled");
  assert.equal(events.of("job_cancelled").length, 1);
});

test("JS-12 events of the last jobs reach hooks and subscriptions before completed settles", async (t) => {
  const seen: string[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    client: {
      hooks: {
        async onEvent({ kind }) {
          await new Promise(setImmediate);
          seen.push(kind);
        },
      },
    },
  });
  await insert(20);
  const run = await start();
  await events.when("job_started", 20);
  await run.stop();
  assert.equal(seen.filter((kind) => kind === "job_completed").length, 20);
});

test("JS-103 a stop leaves no timer, neither of a job that will be due nor of the claim that follows a notice", async (t) => {
  const clock = new ManualClock();
  const { start, insert, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      leaderElectionDisabled: true,
      queueControlPollInterval: { hours: 1 },
      queues: { default: { maxWorkers: 1, pollInterval: { hours: 1 } } },
      retryPolicy: (_, now) => now.add({ seconds: 4 }),
    },
    handler: () => {
      throw new Error("again");
    },
  });
  const run = await start();
  await clock.advance(1_000);
  await insert(1);
  const [failed] = await events.when("job_failed");
  assert.equal(failed?.job.state, "available");
  assert.ok(clock.pending > 0);
  await advanceUntil(clock, run.stop(), 1);
  assert.equal(clock.pending, 0);
});
