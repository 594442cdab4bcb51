/** Values that no driver can store and rows that somebody damaged: they cost their neighbours nothing. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import type { SettleJobsParams } from "../../src/driver/settle-jobs.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { snooze } from "../../src/work/outcome.ts";
import { clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("a retry time that would be rounded to the year 10000 is refused, and the built-in policy is used", async (t) => {
  const { start, insert, row, events, states } = await clientOnSqlite(t, {
    client: { retryPolicy: () => Temporal.Instant.from("9999-12-31T23:59:59.9999Z") },
    handler: ({ job }) => (job.args["n"] === 3 ? Promise.reject(new Error("boom")) : undefined),
  });
  const ids = await insert(6);
  await start();
  await events.when("job_completed", 5);
  await events.when("job_failed");
  assert.deepEqual(states(), { completed: 5, available: 1 });
  const { scheduledAt } = await row(ids[3] ?? 0n);
  assert.ok(scheduledAt.toString() < "9000");
});

test("a snooze beyond the year 9999 fails its attempt", async (t) => {
  const clock = new ManualClock("9900-01-01T00:00:00Z");
  const { start, insert, events, row } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true },
    handler: () => snooze({ days: 101 * 365 }),
  });
  const [id = 0n] = await insert(1, { maxAttempts: 1 });
  await start();
  await events.when("job_failed");
  const { state, errors } = await row(id);
  assert.equal(state, "discarded");
  assert.match(errors[0]?.error ?? "", /snooze leads to a time that must lie in the years 1 to 9999/);
});

for (const error of [new ValidationError("refused by the driver"), new RangeError("out of range")]) {
  test(`JS-83 a value that the driver refuses with a ${error.name} costs only its own row`, async (t) => {
    const { start, insert, events, states, logs } = await clientOnSqlite(t, {
      intercept: (verb, params: SettleJobsParams, proceed) => {
        if (verb === "jobs.settle" && params.settlements.some(({ id }) => id === 3n)) throw error;
        return proceed();
      },
    });
    await insert(6);
    await start();
    await events.when("job_completed", 5);
    await pollUntil(() => logs.some(({ attributes }) => attributes["jobIds"] !== undefined));
    assert.deepEqual(states(), { completed: 5, running: 1 });
    const dropped = logs.find(({ attributes }) => attributes["jobIds"] !== undefined);
    assert.deepEqual(dropped?.attributes["jobIds"], ["3"]);
  });
}

/** Six jobs of which the third is damaged, worked as far as possible. */
async function workDamaged(t: Parameters<typeof clientOnSqlite>[0], change: string, maxAttempts: number = 25) {
  const worked: bigint[] = [];
  const opened = await clientOnSqlite(t, { handler: ({ job }) => void worked.push(job.id) });
  await opened.insert(6, { maxAttempts });
  opened.sql.exec(`UPDATE river_job SET ${change} WHERE id = 3`);
  const run = await opened.start();
  await opened.events.when("job_completed", 5);
  await pollUntil(() => run.diagnostics.activeAttempts === 0);
  assert.deepEqual(new Set(worked), new Set([1n, 2n, 4n, 5n, 6n]));
  const claims = opened.logs.filter(({ message }) => message.startsWith("claiming jobs failed"));
  assert.deepEqual(claims, []);
  return { ...opened, run };
}

test("a job whose attempt number is unreadable stays running for the rescuer, and its slot is free again", async (t) => {
  const { logs, states, run } = await workDamaged(t, "attempt = 1.5");
  assert.deepEqual(states(), { completed: 5, running: 1 });
  const logged = logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    logged.map(({ attributes: { jobId, jobKind, attempt } }) => ({ jobId, jobKind, attempt })),
    [{ jobId: "3", jobKind: "task", attempt: null }],
  );
  assert.match(logged[0]?.message ?? "", /stays running until it is rescued/);
  await run.stop();
});

test("a queue whose row is unreadable costs the others neither their controls nor their cancellations, and is said once", async (t) => {
  const begun = deferred<void>();
  const aborted = deferred<void>();
  const { client, start, insert, sql, events, logs } = await clientOnSqlite(t, {
    client: {
      pollOnly: true,
      leaderElectionDisabled: true,
      queueControlPollInterval: { milliseconds: 10 },
      queues: { bad: quickQueue(1), default: quickQueue(1), more: quickQueue(1) },
    },
    handler: async ({ signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      begun.resolve();
      await aborted.promise;
    },
  });
  await start();
  sql.exec("UPDATE river_queue SET metadata = jsonb('[]') WHERE name = 'bad'");
  const [id = 0n] = await insert(1);
  await begun.promise;
  for (const queue of ["default", "more"]) await client.queues.pause(queue);
  await events.when("queue_paused", 2);
  await client.jobs.cancel(id);
  await withDeadline(aborted.promise, "the cancellation");
  const said = logs.filter(({ level, attributes }) => level === "error" && attributes["queue"] === "bad");
  assert.equal(said.length, 1);
});

test("a job whose kind is unreadable fails without a handler", async (t) => {
  const { sql, events, states } = await workDamaged(t, "kind = x'00ff'", 1);
  await events.when("job_failed");
  assert.deepEqual(states(), { completed: 5, discarded: 1 });
  const { error } = sql.prepare("SELECT errors ->> '$[0].error' AS error FROM river_job WHERE id = 3").get() ?? {};
  assert.match(String(error), /^job row couldn't be decoded: /);
});

test("jobs that a claim returns to a client that is stopping are given back around a damaged one", async (t) => {
  const claiming = deferred<void>();
  const answer = deferred<void>();
  const { start, insert, sql, states, logs } = await clientOnSqlite(t, {
    intercept: async (verb, _, proceed) => {
      const result = await proceed();
      if (verb !== "jobs.claim") return result;
      claiming.resolve();
      await answer.promise;
      return result;
    },
  });
  await insert(6);
  sql.exec("UPDATE river_job SET attempt = 1.5 WHERE id = 3");
  const run = await start();
  await claiming.promise;
  const stopped = run.stop({ mode: "cancel" });
  answer.resolve();
  await withDeadline(stopped, "the stop");
  assert.deepEqual(states(), { available: 5, running: 1 });
  const logged = logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    logged.map(({ message, attributes: { jobId } }) => [message, jobId]),
    [["a claimed job cannot be started; it stays running until it is rescued", "3"]],
  );
});

test("an unreadable limit of attempts counts as the default one", async (t) => {
  const { start, insert, sql, events, states } = await clientOnSqlite(t, {
    handler: () => Promise.reject(new Error("boom")),
  });
  await insert(2, { maxAttempts: 1 });
  sql.exec("UPDATE river_job SET max_attempts = 'many' WHERE id = 1");
  await start();
  await events.when("job_failed", 2);
  assert.deepEqual(states(), { available: 1, discarded: 1 });
});
