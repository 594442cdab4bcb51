/** What a stop leaves of jobs whose claim was on its way, and of work that never ends. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { snooze } from "../../src/work/outcome.ts";
import { type ClientOnSqlite, clientOnSqlite, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { databaseError, type Intercept } from "../testdata/intercepted-driver.ts";

failOnLeaks();

/** Attempts that the jobs have had before. */
const FORMER = [0, 3, 24];

interface DelayedClaim {
  readonly intercept: Intercept;
  /** Resolves once a claim is on its way. */
  readonly sent: Promise<void>;
  readonly answer: () => void;
  readonly count: () => number;
}

/** Holds back the first claim, before or after the database has carried it out. */
function delayedClaim(held: "request" | "answer"): DelayedClaim {
  const sent = deferred<void>();
  const gate = deferred<void>();
  let count = 0;
  return {
    sent: sent.promise,
    answer: () => gate.resolve(),
    count: () => count,
    intercept: async (verb, _params, proceed) => {
      if (verb !== "jobs.claim") return proceed();
      count++;
      const result = held === "answer" ? await proceed() : null;
      sent.resolve();
      await gate.promise;
      return result ?? proceed();
    },
  };
}

interface StopInClaim extends ClientOnSqlite {
  readonly ids: readonly bigint[];
  readonly calls: () => number;
  readonly claims: () => number;
}

async function stopDuringClaim(
  t: TestContext,
  held: "request" | "answer",
  mode: "cancel" | "graceful",
): Promise<StopInClaim> {
  const claim = delayedClaim(held);
  let calls = 0;
  const opened = await clientOnSqlite(t, {
    handler: () => void calls++,
    intercept: claim.intercept,
    client: { leaderElectionDisabled: true },
  });
  const ids = await opened.insert(FORMER.length);
  for (const [n, attempt] of FORMER.entries()) {
    opened.sql.prepare("UPDATE river_job SET attempt = ? WHERE id = ?").run(attempt, ids[n] ?? 0n);
  }
  const run = await opened.start();
  await claim.sent;
  let stopped = false;
  const stop = run.stop({ mode }).then(() => (stopped = true));
  await new Promise(setImmediate);
  assert.equal(stopped, false, "the stop waits for the claim");
  claim.answer();
  await withDeadline(stop, "the stop");
  return { ...opened, ids, calls: () => calls, claims: claim.count };
}

for (const held of ["request", "answer"] as const) {
  test(`C15 a cancelling stop while the ${held} of a claim is delayed gives every attempt back as it was`, async (t) => {
    const { ids, calls, claims, row, events, states } = await stopDuringClaim(t, held, "cancel");
    assert.deepEqual([calls(), claims(), states()], [0, 1, { available: FORMER.length }]);
    for (const [n, id] of ids.entries()) {
      const { attempt, errors } = await row(id);
      assert.deepEqual([attempt, errors.length], [FORMER[n], 0]);
    }
    assert.deepEqual(events.kinds(), { job_interrupted: FORMER.length });
  });

  test(`C15 a graceful stop while the ${held} of a claim is delayed works what it returns, and claims no more`, async (t) => {
    const { ids, calls, claims, row, events, states } = await stopDuringClaim(t, held, "graceful");
    assert.deepEqual([calls(), claims(), states()], [FORMER.length, 1, { completed: FORMER.length }]);
    for (const [n, id] of ids.entries()) assert.equal((await row(id)).attempt, (FORMER[n] ?? 0) + 1);
    assert.deepEqual(events.kinds(), { job_started: FORMER.length, job_completed: FORMER.length });
  });
}

test("C15 a stop while a claim fails ends without another try", async (t) => {
  const sent = deferred<void>();
  const gate = deferred<void>();
  let claims = 0;
  const { start, insert, states } = await clientOnSqlite(t, {
    intercept: async (verb, _params, proceed) => {
      if (verb !== "jobs.claim") return proceed();
      claims++;
      sent.resolve();
      await gate.promise;
      throw databaseError("transient", verb);
    },
  });
  await insert(3);
  const run = await start();
  await sent.promise;
  const stop = run.stop();
  gate.resolve();
  await withDeadline(stop, "the stop");
  assert.deepEqual([claims, states()], [1, { available: 3 }]);
});

test("C15 a stop against handlers that snooze for no time: every call has been given back", async (t) => {
  let calls = 0;
  let open = 0;
  const { start, insert, sql, events } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(50) } },
    handler: async () => {
      calls++;
      open++;
      await new Promise(setImmediate);
      open--;
      return snooze({ seconds: 0 });
    },
  });
  await insert(50, { maxAttempts: 1 });
  const run = await start();
  await events.when("job_snoozed", 200);
  await withDeadline(run.stop(), "the stop");
  const ended = calls;
  assert.equal(open, 0);
  await new Promise(setImmediate);
  assert.equal(calls, ended, "nothing starts after the stop");
  const rows = sql.prepare("SELECT state, attempt, metadata ->> '$.snoozes' AS snoozes FROM river_job").all();
  assert.ok(rows.every(({ state, attempt }) => state === "available" && attempt === 0));
  assert.equal(
    rows.reduce((sum, { snoozes }) => sum + Number(snoozes), 0),
    calls,
  );
  assert.equal(events.of("job_snoozed").length, calls);
});

test("C15 a stop while two programs go on inserting: only what was started is worked", async (t) => {
  let calls = 0;
  const opened = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(2) } },
    handler: () => void calls++,
  });
  const other = await clientOnSqlite(t, { database: opened.database });
  const run = await opened.start();
  const inserted = [opened, other].map(async ({ client }) => {
    let count = 0;
    // Beyond the end of the stop, so that it had no moment of rest.
    for (; run.state !== "stopped"; count++) await client.insert(task, {});
    await client.insert(task, {});
    return count + 1;
  });
  await opened.events.when("job_completed", 6);
  await withDeadline(run.stop(), "the stop");
  const [first = 0, second = 0] = await Promise.all(inserted);
  assert.deepEqual(opened.states(), { available: first + second - calls, completed: calls });
  assert.equal(opened.events.of("job_completed").length, calls);
});

test("C15 a client is stopped twice at the moment its start resolves, and is not started again", async (t) => {
  let calls = 0;
  const { client, insert, states, events } = await clientOnSqlite(t, { handler: () => void calls++ });
  await insert(50);
  const starting = client.start();
  await assert.rejects(client.start(), LifecycleError);
  const stopped = starting.then(async (run) => {
    await Promise.all([run.stop(), run.stop({ mode: "cancel" }), run.completed]);
    return run;
  });
  const run = await withDeadline(stopped, "the stops");
  assert.equal(run.state, "stopped");
  const { available = 0, completed = 0, ...others } = states();
  assert.deepEqual([available, completed, others], [50 - calls, calls, {}]);
  assert.equal(events.of("job_completed").length, calls);
  await run.stop();
  await assert.rejects(client.start(), LifecycleError);
});
