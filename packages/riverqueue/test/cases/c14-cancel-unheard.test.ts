/** Cancellations that find nobody listening, and notices that mean nothing. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import type { Client } from "../../src/client/river-client.ts";
import type { NoticeListener } from "../../src/driver/notices-facet.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { snooze } from "../../src/work/outcome.ts";
import { aborted, clientOnSqlite, manualEnvironment, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

/** No poll hastens anything here. */
const UNPOLLED = { ...quickQueue(2), pollInterval: { hours: 1 } };

const waitForAbort = async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
  throw await aborted(signal);
};

test("C14 JS-68 JS-69 JS-67 what an outage of the notice stream swallowed is found when it is back", async (t) => {
  const clock = new ManualClock();
  let listener: NoticeListener | null = null;
  let deaf = false;
  const subscriptions: number[] = [];
  const { start, insert, client, events, row, sql, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    handler: waitForAbort,
    client: {
      jobTimeout: null,
      leaderElectionDisabled: true,
      queueControlPollInterval: { hours: 1 },
      queues: { default: UNPOLLED, other: UNPOLLED },
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
  insertRawJobs(sql, clock.now(), [{ kind: "task", state: "available", queue: "other" }]);
  await clock.advance(3_000);
  assert.deepEqual(events.kinds(), { job_started: 1 });
  assert.deepEqual(subscriptions, [0, 250, 750, 1_750]);
  deaf = false;
  await clock.advance(1_000);
  await events.when("job_cancelled");
  await events.when("queue_paused");
  await events.when("job_started", 2);
  assert.equal((await row(first)).state, "cancelled");
  assert.ok(logs.every(({ level, message }) => level !== "error" || !message.startsWith("the notification stream")));
  await client.queues.resume("default");
  await events.when("queue_resumed");
  // Once it is back the back-off starts over.
  lost.onLost(databaseError("transient", "notices.listen"));
  await clock.advance(250);
  assert.deepEqual(subscriptions, [0, 250, 750, 1_750, 3_750, 4_250]);
});

test("C14 a notice that comes too late aborts a later attempt only when its row says so", async (t) => {
  const asked = deferred<void>();
  const finish = deferred<void>();
  const second = deferred<AbortSignal>();
  const { start, insert, driver, client, events, row } = await clientOnSqlite(t, {
    client: { jobTimeout: null, leaderElectionDisabled: true, retryPolicy: (_, now) => now },
    handler: async ({ job, signal }) => {
      if (job.attempt === 1) throw new Error("once");
      second.resolve(signal);
      if (job.args["n"] === 0) return finish.promise;
      throw await aborted(signal);
    },
    intercept: async (verb, _, proceed) => {
      const answer = await proceed();
      if (verb === "jobs.cancelRequested") setImmediate(() => asked.resolve());
      return answer;
    },
  });
  const [id = 0n] = await insert();
  await start();
  const signal = await second.promise;
  const payload = `{"action":"cancel","job_id":${id},"queue":"default"}`;
  await driver.notices.send({ notices: [{ topic: "river_control", payload }] });
  await asked.promise;
  assert.equal(signal.aborted, false, "the notice meant the first attempt");
  await client.jobs.cancel(id);
  await aborted(signal);
  finish.resolve();
  await events.when("job_completed");
  assert.equal((await row(id)).attempt, 2);
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

for (const outcome of ["fails", "snoozes"] as const) {
  test(`C14 a cancellation that its attempt never heard of ends the job when the handler ${outcome}, and its event says so`, async (t) => {
    const finish = deferred<void>();
    const { start, insert, client, events, row } = await clientOnSqlite(t, {
      client: { pollOnly: true, queueControlPollInterval: { hours: 1 }, leaderElectionDisabled: true },
      handler: async () => {
        await finish.promise;
        if (outcome === "snoozes") return snooze({ hours: 1 });
        throw new Error("boom");
      },
    });
    const [id = 0n] = await insert();
    const run = await start();
    await events.when("job_started");
    await client.jobs.cancel(id);
    finish.resolve();
    const [cancelled] = await events.when("job_cancelled");
    assert.equal(cancelled?.job.state, "cancelled");
    assert.equal((await row(id)).state, "cancelled");
    await run.stop();
    assert.deepEqual(events.kinds(), { job_started: 1, job_cancelled: 1 });
  });
}

/** A job that has had so many attempts by the time that it can be claimed. */
async function insertAfterAttempts(
  client: Client<DatabaseSync>,
  sql: DatabaseSync,
  attempts: number,
): Promise<{ readonly id: bigint }> {
  sql.exec("BEGIN IMMEDIATE");
  const { job } = await client.insert(task, {}, { tx: sql });
  sql.prepare("UPDATE river_job SET attempt = ? WHERE id = ?").run(attempts, job.id);
  sql.exec("COMMIT");
  return job;
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
    const job = await insertAfterAttempts(client, sql, attempt - 1);
    await claimed.promise;
    await client.jobs.cancel(job.id);
    await new Promise(setImmediate);
    answer.resolve();
    await events.when("job_cancelled");
    if (attempt === 1) assert.deepEqual(seen, [true]);
    assert.equal((await row(job.id)).attempt, attempt);
  });
}

test("C14 a notice that comes while a later attempt is being claimed, and meant an earlier one, does not abort it", async (t) => {
  const claimed = deferred<void>();
  const answer = deferred<void>();
  const asked = deferred<void>();
  let slow = false;
  const seen: boolean[] = [];
  let listener: NoticeListener | null = null;
  const { start, client, events, sql } = await clientOnSqlite(t, {
    client: { queueControlPollInterval: { hours: 1 } },
    handler: async ({ signal }) => {
      seen.push(signal.aborted);
      await asked.promise;
      seen.push(signal.aborted);
    },
    intercept: async (verb, params: NoticeListener, proceed) => {
      if (verb === "notices.listen") listener = params;
      const result = (await proceed()) as { jobs: unknown[] };
      if (verb === "jobs.cancelRequested") setImmediate(() => asked.resolve());
      if (verb === "jobs.claim" && slow && result.jobs.length > 0) {
        claimed.resolve();
        await answer.promise;
      }
      return result;
    },
  });
  await start();
  slow = true;
  const job = await insertAfterAttempts(client, sql, 1);
  await claimed.promise;
  const payload = `{"action":"cancel","job_id":${job.id},"queue":"default"}`;
  (listener as NoticeListener | null)?.onNotice({ topic: "river_control", payload });
  answer.resolve();
  await events.when("job_completed");
  assert.deepEqual(seen, [false, false]);
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
