/** What a stop says while it waits, and that it never waits for the job that asked for it. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import type { NoticeListener, NoticeStream } from "riverqueue/driver";
import { deferred } from "../../src/kit/deferred.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

test("a stop says every five seconds which stage it waits in: jobs, then event hooks", async (t) => {
  const clock = new ManualClock();
  const handled = deferred<void>();
  const hooked = deferred<void>();
  let broken = true;
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      pollOnly: true,
      leaderElectionDisabled: true,
      jobTimeout: null,
      hooks: { onEvent: ({ kind }) => (kind === "job_completed" ? hooked.promise : undefined) },
    },
    handler: () => handled.promise,
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.settle" && broken) throw databaseError("transient");
      return proceed();
    },
  });
  const said = (): unknown[] => logs.filter(({ message }) => message.startsWith("stopping:"));
  await insert();
  const run = await start();
  await events.when("job_started");
  const stopped = run.stop();
  await clock.advance(10_000);
  const jobs = {
    level: "info",
    message: "stopping: waiting for running jobs",
    attributes: { stage: "queues", running: { task: 1 } },
  };
  assert.deepEqual(said(), [jobs, jobs]);
  handled.resolve();
  await pollUntil(() => logs.some(({ message }) => message === "storing completions failed"));
  broken = false;
  await clock.advance(1_000);
  await events.when("job_completed");
  await clock.advance(5_000);
  assert.deepEqual(said().slice(2), [
    { level: "info", message: "stopping: waiting for events", attributes: { stage: "events" } },
  ]);
  hooked.resolve();
  await advanceUntil(clock, stopped, 10);
  const { length } = said();
  await clock.advance(20_000);
  assert.equal(said().length, length);
});

test("a stop that waits for the database says so", async (t) => {
  const clock = new ManualClock();
  const store = deferred<void>();
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { pollOnly: true, leaderElectionDisabled: true },
    intercept: async (verb, _, proceed) => {
      if (verb === "jobs.settle") await store.promise;
      return proceed();
    },
  });
  await insert();
  const run = await start();
  await events.when("job_started");
  await pollUntil(() => run.diagnostics.completionQueries === 1);
  const stopped = run.stop();
  await clock.advance(5_000);
  store.resolve();
  await stopped;
  const said = logs.filter(({ message }) => message.startsWith("stopping:"));
  assert.deepEqual(said, [
    { level: "info", message: "stopping: waiting for completions", attributes: { stage: "completions" } },
  ]);
});

for (const mode of ["graceful", "cancel"] as const) {
  test(`a handler that awaits a ${mode} stop of its own client goes on once it has begun`, async (t) => {
    const { start, insert, states } = await clientOnSqlite(t, {
      handler: async ({ signal }) => {
        await run.stop({ mode });
        assert.equal(run.state, "stopping");
        assert.equal(signal.aborted, mode === "cancel");
      },
    });
    const run = await start();
    await insert();
    await withDeadline(run.completed, "the end of the runtime");
    assert.deepEqual(states(), { completed: 1 });
  });
}

test("an onEvent hook that awaits a stop of its own client goes on once it has begun; what it leaves behind waits", async (t) => {
  const left = deferred<void>();
  const stopped: string[] = [];
  const { start, insert } = await clientOnSqlite(t, {
    client: {
      hooks: {
        onEvent: async ({ kind }) => {
          if (kind !== "job_completed") return;
          await run.stop();
          stopped.push(run.state);
          void left.promise.then(() => run.stop()).then(() => stopped.push(run.state));
        },
      },
    },
  });
  const run = await start();
  await insert();
  await pollUntil(() => stopped.length === 1);
  left.resolve();
  await withDeadline(run.completed, "the end of the runtime");
  await pollUntil(() => stopped.length === 2);
  assert.deepEqual(stopped, ["stopping", "stopped"]);
});

test("what a job has left behind waits for the whole stop, as everybody else", async (t) => {
  const left = deferred<void>();
  const stopped: string[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    handler: () => {
      void left.promise.then(() => run.stop()).then(() => stopped.push(run.state));
    },
  });
  const run = await start();
  await insert();
  await events.when("job_completed");
  await pollUntil(() => run.diagnostics.activeAttempts === 0);
  left.resolve();
  await withDeadline(run.completed, "the end of the runtime");
  await pollUntil(() => stopped.length === 1);
  assert.deepEqual(stopped, ["stopped"]);
});

test("a stop does not wait for a subscription that the database never answers, and what comes of it is closed", async (t) => {
  const late = deferred<void>();
  const closed = deferred<void>();
  const subscriptions: NoticeListener[] = [];
  const { start } = await clientOnSqlite(t, {
    environment: { random: () => 0 },
    client: { leaderElectionDisabled: true },
    intercept: (verb, params: NoticeListener, proceed) => {
      if (verb !== "notices.listen" || subscriptions.push(params) === 1) return proceed();
      const stream: NoticeStream = { close: async () => closed.resolve() };
      return late.promise.then(() => stream);
    },
  });
  const run = await start();
  subscriptions[0]?.onLost(databaseError("transient", "notices.listen"));
  await pollUntil(() => subscriptions.length === 2);
  await withDeadline(run.stop(), "the stop");
  late.resolve();
  await withDeadline(closed.promise, "the end of the late subscription");
});

test("a stream that is reported lost twice, or while another one is made, is replaced once", async (t) => {
  const subscriptions: NoticeListener[] = [];
  const lose = (error: unknown): void => subscriptions.at(-1)?.onLost(error);
  const clock = new ManualClock();
  const { start } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true },
    intercept: (verb, params: NoticeListener, proceed) => {
      if (verb !== "notices.listen" || subscriptions.push(params) !== 2) return proceed();
      lose(databaseError("transient", verb));
      throw databaseError("transient", verb);
    },
  });
  const run = await start();
  for (let times = 0; times < 2; times++) lose(databaseError("transient", "notices.listen"));
  await clock.advance(10_000);
  assert.equal(subscriptions.length, 3);
  await advanceUntil(clock, run.stop(), 10);
});
