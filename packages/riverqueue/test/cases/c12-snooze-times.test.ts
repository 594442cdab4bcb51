/** When snoozed jobs run again, to the millisecond. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { complete, snooze } from "../../src/work/outcome.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const SECONDS = [0, 1, 0, 6, 1];

test("C12 each snooze is stored with its exact time, and no attempt starts before it", async (t) => {
  const clock = new ManualClock();
  const starts: Temporal.Instant[] = [];
  const returned: Temporal.Instant[] = [];
  const { start, insert, row, events, states } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    handler: () => {
      const call = starts.push(clock.now());
      const seconds = SECONDS[call - 1];
      if (call === 6) throw new Error("once");
      if (seconds === undefined) return complete({ output: "done" });
      returned.push(clock.now());
      return snooze({ seconds });
    },
  });
  const [id = 0n] = await insert(1, { maxAttempts: 2 });
  await start();
  await advanceUntil(clock, events.when("job_completed"), 50);
  // Long after the end nothing runs again.
  await clock.advance(60_000);
  assert.equal(starts.length, 7);
  const snoozed = events.of("job_snoozed");
  for (const [n, { job }] of snoozed.entries()) {
    const due = returned[n]?.add({ seconds: SECONDS[n] ?? 0 });
    assert.equal(job.scheduledAt.toString(), due?.toString());
    assert.equal(job.state, SECONDS[n] === 6 ? "scheduled" : "available");
    assert.equal(job.finalizedAt, null);
    assert.deepEqual([job.attempt, job.errors.length, job.metadata["snoozes"]], [0, 0, n + 1]);
    const next = starts[n + 1];
    assert.ok(next && Temporal.Instant.compare(next, job.scheduledAt) >= 0, `start ${n + 1} at ${String(next)}`);
  }
  const [failed] = events.of("job_failed");
  // One error so far: a second, which is near enough to stay available.
  assert.deepEqual([failed?.job.state, failed?.job.attempt], ["available", 1]);
  assert.equal(failed?.job.scheduledAt.toString(), starts[5]?.add({ seconds: 1 }).toString());
  assert.ok(starts[6] && failed && Temporal.Instant.compare(starts[6], failed.job.scheduledAt) >= 0);
  const { state, attempt, errors, metadata, attemptedBy } = await row(id);
  assert.deepEqual([state, attempt, errors.length, attemptedBy.length], ["completed", 2, 1, 7]);
  assert.deepEqual([metadata["snoozes"], metadata["output"]], [5, "done"]);
  assert.deepEqual(states(), { completed: 1 });
  const { job_snoozed: snoozes, job_failed: failures, job_completed: completions } = events.kinds();
  assert.deepEqual([snoozes, failures, completions], [5, 1, 1]);
});
