/** Cancellations that find nobody listening, or come before the handler does. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import type { NoticeListener } from "../../src/driver/notices-facet.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { JobCancelledError } from "../../src/model/errors/job-cancelled-error.ts";
import { aborted, clientOnSqlite, manualEnvironment, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const waitForAbort = async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
  throw await aborted(signal);
};

test("C14 JS-68 JS-69 JS-67 what an outage of the notice stream swallowed is found when it is back", async (t) => {
  const clock = new ManualClock();
  let listener: NoticeListener | null = null;
  let deaf = false;
  const subscriptions: number[] = [];
  const { start, insert, client, events, row, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    handler: waitForAbort,
    client: {
      jobTimeout: null,
      leaderElectionDisabled: true,
      queueControlPollInterval: { hours: 1 },
      queues: { default: { ...quickQueue(2), pollInterval: { hours: 1 } } },
    },
    intercept: (verb, params: NoticeListener, proceed) => {
      if (verb !== "notices.listen") return proceed();
      subscriptions.push(clock.monotonic());
      if (deaf) throw databaseError("transient", verb);
      listener = params;
      return proceed();
    },
  });
  const [first = 0n] = await insert();
  await start();
  await events.when("job_started");
  deaf = true;
  // The driver's own stream goes on; what it says from here on is lost.
  const lost = listener as NoticeListener | null;
  assert.ok(lost);
  Object.assign(lost, { onNotice: () => {} });
  lost.onLost(databaseError("transient", "notices.listen"));
  await client.jobs.cancel(first);
  await client.queues.pause("default");
  await clock.advance(3_000);
  assert.deepEqual(events.kinds(), { job_started: 1 });
  assert.deepEqual(subscriptions, [0, 250, 750, 1_750]);
  deaf = false;
  await clock.advance(1_000);
  await events.when("job_cancelled");
  await events.when("queue_paused");
  assert.equal((await row(first)).state, "cancelled");
  assert.ok(logs.every(({ level, message }) => level !== "error" || !message.startsWith("the notification stream")));
  await client.queues.resume("default");
  await events.when("queue_resumed");
  // Once it is back the back-off starts over.
  lost.onLost(databaseError("transient", "notices.listen"));
  await clock.advance(250);
  assert.deepEqual(subscriptions, [0, 250, 750, 1_750, 3_750, 4_250]);
});

test("C14 with pollOnly a cancellation is found by the next control poll", async (t) => {
  const clock = new ManualClock();
  const { start, insert, client, events, row } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    handler: waitForAbort,
    client: { pollOnly: true, jobTimeout: null, leaderElectionDisabled: true },
  });
  const [id = 0n] = await insert();
  await start();
  await clock.advance(100);
  await events.when("job_started");
  await client.jobs.cancel(id);
  await clock.advance(1_899);
  assert.equal(events.of("job_cancelled").length, 0);
  await clock.advance(1);
  await events.when("job_cancelled");
  const { state, errors } = await row(id);
  assert.equal(state, "cancelled");
  assert.equal(errors[0]?.error, "JobCancelError: job cancelled remotely");
});

for (const resolves of [false, true]) {
  test(`C14 JS-51 JS-52 a cancel while beforeWork is slow gives the handler an aborted signal; it ${resolves ? "resolves" : "throws"}`, async (t) => {
    const before = deferred<void>();
    const reasons: unknown[] = [];
    const { start, insert, client, events, row } = await clientOnSqlite(t, {
      client: { hooks: { beforeWork: () => before.promise } },
      handler: ({ signal }) => {
        reasons.push(signal.reason);
        if (!resolves) signal.throwIfAborted();
      },
    });
    const [id = 0n] = await insert();
    await start();
    await events.when("job_started");
    await client.jobs.cancel(id);
    await new Promise(setImmediate);
    before.resolve();
    await events.when(resolves ? "job_completed" : "job_cancelled");
    assert.ok(reasons[0] instanceof JobCancelledError);
    assert.equal((await row(id)).state, resolves ? "completed" : "cancelled");
  });
}

for (const attempt of [1, 2]) {
  test(`C14 a cancel during the claim of a job's attempt ${attempt} reaches its handler`, async (t) => {
    const claimed = deferred<void>();
    const answer = deferred<void>();
    let slow = false;
    const seen: boolean[] = [];
    const { start, client, events, sql, row } = await clientOnSqlite(t, {
      client: { queueControlPollInterval: { hours: 1 } },
      handler: async ({ signal }) => {
        seen.push(signal.aborted);
        throw await aborted(signal);
      },
      intercept: async (verb, _, proceed) => {
        const result = (await proceed()) as { jobs: unknown[] };
        if (verb === "jobs.claim" && slow && result.jobs.length > 0) {
          claimed.resolve();
          await answer.promise;
        }
        return result;
      },
    });
    await start();
    slow = true;
    sql.exec("BEGIN IMMEDIATE");
    const { job } = await client.insert(task, {}, { tx: sql });
    sql.prepare("UPDATE river_job SET attempt = ? WHERE id = ?").run(attempt - 1, job.id);
    sql.exec("COMMIT");
    await claimed.promise;
    await client.jobs.cancel(job.id);
    await new Promise(setImmediate);
    answer.resolve();
    await events.when("job_cancelled");
    if (attempt === 1) assert.deepEqual(seen, [true]);
    assert.equal((await row(job.id)).attempt, attempt);
  });
}

test("C14 a cancel in a transaction that rolls back aborts nothing", async (t) => {
  const finish = deferred<void>();
  const { start, insert, client, events, sql, row } = await clientOnSqlite(t, {
    client: { queueControlPollInterval: { milliseconds: 5 } },
    handler: async ({ signal }) => {
      await finish.promise;
      signal.throwIfAborted();
    },
  });
  const [id = 0n] = await insert();
  await start();
  await events.when("job_started");
  sql.exec("BEGIN IMMEDIATE");
  await client.jobs.cancel(id, { tx: sql });
  sql.exec("ROLLBACK");
  // Notices and control polls that come later have been heard.
  await client.queues.pause("default");
  await events.when("queue_paused");
  finish.resolve();
  await events.when("job_completed");
  assert.deepEqual((await row(id)).metadata["cancel_attempted_at"], undefined);
});

test("C14 a cancellation that meant an attempt before this one does not abort it", async (t) => {
  const finish = deferred<void>();
  const { start, insert, client, events, row } = await clientOnSqlite(t, {
    client: { retryPolicy: (_, now) => now, queueControlPollInterval: { milliseconds: 5 } },
    handler: async ({ job, signal }) => {
      if (job.attempt === 1) throw await aborted(signal);
      await finish.promise;
      signal.throwIfAborted();
    },
  });
  const [id = 0n] = await insert();
  await start();
  await events.when("job_started");
  await client.jobs.cancel(id);
  await events.when("job_cancelled");
  await client.jobs.retry(id);
  await events.when("job_started", 2);
  await client.queues.pause("default");
  await events.when("queue_paused");
  finish.resolve();
  await events.when("job_completed");
  assert.equal((await row(id)).attempt, 2);
});

test("JS-14 JS-60 notices that mean nothing here are ignored, those that cannot be read are logged", async (t) => {
  let listener: NoticeListener | null = null;
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    intercept: (verb, params: NoticeListener, proceed) => {
      if (verb === "notices.listen") listener = params;
      return proceed();
    },
  });
  const run = await start();
  const say = (topic: "river_control" | "river_insert", payload: string): void =>
    listener?.onNotice({ topic, payload });
  say("river_insert", '{"queue":"nobody\'s"}');
  say("river_control", '{"action":"cancel","job_id":1,"queue":"nobody\'s"}');
  say("river_control", '{"action":"cancel","job_id":99,"queue":"default"}');
  say("river_control", '{"action":"cancel","job_id":"x","queue":"default"}');
  say("river_control", '{"action":"dance","queue":"default"}');
  assert.deepEqual(
    logs.filter(({ level }) => level === "error"),
    [],
  );
  assert.equal(logs.filter(({ level }) => level === "debug").length, 2);
  for (const payload of ["", "[]", "nonsense", '{"queue":5}', "{}"]) say("river_insert", payload);
  assert.equal(logs.filter(({ level }) => level === "error").length, 5);
  await insert();
  await events.when("job_completed");
  assert.equal(run.state, "running");
});
