/** What snoozing counts as, how often, and when the job runs again. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { complete, snooze } from "../../src/work/outcome.ts";
import { aborted, advanceUntil, clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C12 JS-42 five snoozes, an error and a success with two attempts", async (t) => {
  const clock = new ManualClock();
  const snoozes = [0, 1, 0, 6, 1];
  const starts: { at: number; due: number; attempt: number }[] = [];
  const { start, insert, row, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { retryPolicy: (_, now) => now.add({ seconds: 1 }) },
    handler: ({ job }) => {
      starts.push({ at: clock.now().epochMilliseconds, due: job.scheduledAt.epochMilliseconds, attempt: job.attempt });
      const seconds = snoozes.shift();
      if (seconds !== undefined) return snooze({ seconds });
      if (starts.length === 6) throw new Error("once");
      return complete();
    },
  });
  const [id = 0n] = await insert(1, { maxAttempts: 2 });
  await start();
  await advanceUntil(clock, events.when("job_completed"), 50);
  const { state, attempt, errors, metadata, attemptedBy } = await row(id);
  assert.deepEqual([state, attempt, errors.length, metadata["snoozes"]], ["completed", 2, 1, 5]);
  assert.equal(attemptedBy.length, 7);
  assert.deepEqual(
    starts.map(({ attempt: number }) => number),
    [1, 1, 1, 1, 1, 1, 2],
  );
  for (const { at, due } of starts) assert.ok(at >= due);
  assert.deepEqual(
    events.of("job_snoozed").map(({ job }) => [job.state, job.attempt]),
    ["available", "available", "available", "scheduled", "available"].map((stored) => [stored, 0]),
  );
  const { job_snoozed: snoozed, job_failed: failed, job_completed: completed, job_started: started } = events.kinds();
  assert.deepEqual([snoozed, failed, completed, started], [5, 1, 1, 7]);
  const order = events.all.map(({ kind }) => kind).filter((kind) => kind.startsWith("job_"));
  const expected = Array.from({ length: 5 }, () => ["job_started", "job_snoozed"]).flat();
  assert.deepEqual(order, [...expected, "job_started", "job_failed", "job_started", "job_completed"]);
});

test("C12 JS-52 a cancel during a snoozing attempt wins", async (t) => {
  const { start, insert, row, client, events } = await clientOnSqlite(t, {
    handler: async ({ signal }) => {
      await aborted(signal);
      return snooze({ seconds: 0 });
    },
  });
  const [id = 0n] = await insert();
  const run = await start();
  await events.when("job_started");
  await client.jobs.cancel(id);
  await events.when("job_cancelled");
  await run.stop();
  const { state, attempt, finalizedAt } = await row(id);
  assert.deepEqual([state, attempt], ["cancelled", 1]);
  assert.ok(finalizedAt);
  const { job_snoozed: snoozed = 0, job_cancelled: cancelled } = events.kinds();
  assert.deepEqual([snoozed, cancelled], [0, 1]);
});
