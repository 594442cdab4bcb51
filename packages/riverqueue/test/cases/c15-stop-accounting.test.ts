/** What a stop leaves of jobs whose claim was on its way. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { type ClientOnSqlite, clientOnSqlite } from "../testdata/client-on-sqlite.ts";
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
