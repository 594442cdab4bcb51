/** What the log says about attempts that failed, once their end is committed. */
import assert from "node:assert/strict";
import test from "node:test";
import { transaction } from "@riverqueue/driver-sqlite";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { cancel, discard, snooze } from "../../src/work/outcome.ts";
import { aborted, clientOnSqlite, type LogEntry } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

function troubles(logs: readonly LogEntry[]): readonly LogEntry[] {
  return logs.filter(({ level }) => level === "warn" || level === "error");
}

test("a failure that is retried is a warning, one that discards the job an error, neither with the arguments", async (t) => {
  const boom = new Error("boom");
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    client: { retryPolicy: (_, now) => now },
    handler: () => Promise.reject(boom),
  });
  const [id] = await insert(1, { maxAttempts: 2 });
  await start();
  await events.when("job_failed", 2);
  const attributes = (attempt: number): object => ({ jobId: String(id), jobKind: "task", attempt, error: boom });
  assert.deepEqual(troubles(logs), [
    { level: "warn", message: "a job failed and will be retried", attributes: attributes(1) },
    { level: "error", message: "a job failed and was discarded", attributes: attributes(2) },
  ]);
});

test("a handler that discards its job is an error, without a reason too", async (t) => {
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    handler: ({ job }) => discard(job.args["n"] === 0 ? { reason: "hopeless" } : {}),
  });
  await insert(2);
  await start();
  await events.when("job_failed", 2);
  assert.deepEqual(
    troubles(logs).map(({ level, attributes }) => [level, (attributes["error"] as Error | undefined)?.message]),
    [
      ["error", "hopeless"],
      ["error", undefined],
    ],
  );
});

test("snoozes, cancellations and interruptions are no failures", async (t) => {
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    handler: async ({ job, signal }) => {
      if (job.args["n"] === 0) return snooze({ hours: 1 });
      if (job.args["n"] === 1) return cancel({ reason: "no more" });
      throw await aborted(signal);
    },
  });
  await insert(3);
  const run = await start();
  await events.when("job_snoozed");
  await events.when("job_cancelled");
  await events.when("job_started", 3);
  await run.stop({ mode: "cancel" });
  assert.equal(events.of("job_interrupted").length, 1);
  assert.deepEqual(troubles(logs), []);
});

test("an error after a committed completeTx is a warning, one after a rollback a failure like any other", async (t) => {
  const late = new Error("too late");
  const { start, insert, events, logs, driver } = await clientOnSqlite(t, {
    handler: async ({ job, completeTx }) => {
      const handle = driver.connect();
      try {
        await transaction(handle, async (tx) => {
          await completeTx(tx);
          if (job.args["n"] === 1) throw new Error("rolled back");
        });
      } finally {
        handle.close();
      }
      throw late;
    },
  });
  const [committed] = await insert();
  await start();
  await events.when("job_completed");
  const attributes = { jobId: String(committed), jobKind: "task", attempt: 1, error: late };
  assert.deepEqual(troubles(logs), [
    { level: "warn", message: "a handler failed after completeTx had completed its job", attributes },
  ]);
  await insert(2);
  await events.when("job_failed");
  assert.ok(troubles(logs).some(({ message }) => message === "a job failed and will be retried"));
});
