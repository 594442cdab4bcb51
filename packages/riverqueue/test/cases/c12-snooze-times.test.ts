/** When snoozed jobs run again, who may run them, and cancellations that they meet. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { complete, snooze } from "../../src/work/outcome.ts";
import { aborted, advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

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

test("C12 two clients share a job that snoozes 300 times: each attempt is one client's, the last 100 are named", async (t) => {
  const calls: string[] = [];
  const handler = ({ execution }: { readonly execution: { readonly attemptedBy: string } }) =>
    calls.push(execution.attemptedBy) <= 300 ? snooze({ seconds: 0 }) : complete();
  const client = { queues: { default: { ...quickQueue(1), fetchCooldown: { milliseconds: 1 } } } };
  const first = await clientOnSqlite(t, { handler, client: { ...client, clientId: "first" } });
  const second = await clientOnSqlite(t, {
    handler,
    database: first.database,
    client: { ...client, clientId: "second" },
  });
  await first.start();
  await second.start();
  const [id = 0n] = await first.insert(1, { maxAttempts: 1 });
  await Promise.race([first.events.when("job_completed"), second.events.when("job_completed")]);
  const { state, attempt, attemptedBy, metadata, errors } = await first.row(id);
  assert.deepEqual([state, attempt, metadata["snoozes"], errors.length], ["completed", 1, 300, 0]);
  assert.equal(calls.length, 301);
  assert.deepEqual(attemptedBy, calls.slice(-100));
  const both = [first, second].flatMap(({ events }) => events.all);
  assert.equal(both.filter(({ kind }) => kind === "job_snoozed").length, 300);
  assert.equal(both.filter(({ kind }) => kind === "job_completed").length, 1);
});

for (const seconds of [0, 3_600]) {
  test(`C12 a cancel during an attempt that snoozes for ${seconds} s wins, also when it was not heard`, async (t) => {
    for (const heard of [true, false]) {
      await t.test(heard ? "heard" : "not heard", async (part) => {
        const finish = deferred<void>();
        let calls = 0;
        const { start, insert, row, client, sql, events, states } = await clientOnSqlite(part, {
          client: { queueControlPollInterval: { hours: 1 } },
          handler: async ({ signal }) => {
            calls++;
            await (heard ? aborted(signal) : finish.promise);
            return snooze({ seconds });
          },
        });
        const [id = 0n] = await insert();
        await start();
        await events.when("job_started");
        if (heard) await client.jobs.cancel(id);
        // Nothing announces this one.
        else
          sql.exec(
            "UPDATE river_job SET metadata = jsonb_set(metadata, '$.cancel_attempted_at', '2026-01-01T00:00:00Z')",
          );
        finish.resolve();
        const [cancelled] = await events.when("job_cancelled");
        // What is inserted later is worked by then.
        await insert();
        await events.when("job_started", 2);
        assert.equal(cancelled?.job.state, "cancelled");
        const { state, attempt, finalizedAt, errors } = await row(id);
        assert.deepEqual([state, attempt, finalizedAt !== null], ["cancelled", 1, true]);
        assert.deepEqual(
          errors.map(({ error }) => error),
          heard ? ["JobCancelError: job cancelled remotely"] : [],
        );
        assert.equal(calls, 2);
        assert.equal(events.of("job_snoozed").filter(({ job }) => job.id === id).length, 0);
        assert.equal(states()["cancelled"], 1);
      });
    }
  });
}
