/** What snoozing counts as, when snoozed jobs run again, who may run them, and cancellations that they meet. */
import assert from "node:assert/strict";
import { failOnLeaks, scaled } from "@riverqueue/internal-test-kit";
import { complete, snooze, type WorkExecution } from "riverqueue";
import { aborted } from "../src/aborted.ts";
import { onBothDatabases } from "../src/database.ts";
import { openScene, quickQueue } from "../src/scene.ts";

failOnLeaks();

/** How long each snooze is, the last but one beyond the near-future window. */
const SNOOZES_MS = [0, 1_000, 0, 6_000, 1_000].map(scaled);
const WINDOW_MS = scaled(5_000);

onBothDatabases(
  "C12 five snoozes, an error and a success with two attempts, none of them before its time",
  async (t, database) => {
    const starts: Temporal.Instant[] = [];
    const { start, insert, row, events, states } = openScene(t, database, {
      client: {
        maintenance: { schedulerInterval: { milliseconds: WINDOW_MS } },
        retryPolicy: (_, now) => now.add({ milliseconds: scaled(1_000) }),
      },
      handler: () => {
        const call = starts.push(Temporal.Now.instant());
        const ms = SNOOZES_MS[call - 1];
        if (ms !== undefined) return snooze({ milliseconds: ms });
        if (call === 6) throw new Error("once");
        return complete({ output: "done" });
      },
    });
    const [id = 0n] = await insert(1, { maxAttempts: 2 });
    await start();
    await events.when("job_completed");
    const snoozed = events.of("job_snoozed");
    const [failed] = events.of("job_failed");
    assert.deepEqual(
      snoozed.map(({ job }) => [job.state, job.attempt, job.errors.length, job.metadata["snoozes"], job.finalizedAt]),
      ["available", "available", "available", "scheduled", "available"].map((state, n) => [state, 0, 0, n + 1, null]),
    );
    assert.deepEqual([failed?.job.state, failed?.job.attempt], ["available", 1]);
    const ends = [...snoozed, ...(failed ? [failed] : [])];
    assert.equal(starts.length, 7);
    for (const [n, { job }] of ends.entries()) {
      const [began, next] = [starts[n], starts[n + 1]];
      assert.ok(began && next && next.epochMilliseconds >= job.scheduledAt.epochMilliseconds, `start ${n + 1}`);
      const waits = job.scheduledAt.epochMilliseconds - began.epochMilliseconds;
      assert.ok(waits >= Math.floor(SNOOZES_MS[n] ?? scaled(1_000)), `${waits} ms after start ${n}`);
    }
    const { state, attempt, errors, metadata, attemptedBy } = await row(id);
    assert.deepEqual([state, attempt, errors.length, attemptedBy.length], ["completed", 2, 1, 7]);
    assert.deepEqual([metadata["snoozes"], metadata["output"]], [5, "done"]);
    assert.deepEqual(await states(), { completed: 1 });
    assert.deepEqual(events.jobKinds(), { job_started: 7, job_snoozed: 5, job_failed: 1, job_completed: 1 });
  },
);

onBothDatabases(
  "C12 two clients share a job that snoozes 300 times: each attempt is one client's, the last 100 are named",
  async (t, database) => {
    const calls: string[] = [];
    const handler = ({ execution }: { readonly execution: WorkExecution }) =>
      calls.push(execution.attemptedBy) <= 300 ? snooze({ seconds: 0 }) : complete();
    const client = { queues: { default: { ...quickQueue(1), fetchCooldown: { milliseconds: 1 } } } };
    const first = openScene(t, database, { handler, client: { ...client, clientId: "first" } });
    const second = openScene(t, database.again(), { handler, client: { ...client, clientId: "second" } });
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
  },
);

for (const seconds of [0, 3_600]) {
  for (const heard of [true, false]) {
    onBothDatabases(
      `C12 JS-52 a cancel during an attempt that snoozes for ${seconds} s wins, ${heard ? "heard" : "unheard"}`,
      async (t, database) => {
        const finish = Promise.withResolvers<void>();
        const { start, insert, row, client, events, states, calls } = openScene(t, database, {
          client: { queueControlPollInterval: { hours: 1 } },
          handler: async ({ signal }) => {
            await (heard ? aborted(signal) : finish.promise);
            return snooze({ seconds });
          },
        });
        const [id = 0n] = await insert();
        await start();
        await events.when("job_started");
        if (heard) await client.jobs.cancel(id);
        else {
          // Nothing announces this one.
          await database.query(
            database.backend === "postgres"
              ? `UPDATE river_job SET metadata = metadata || '{"cancel_attempted_at":"2026-01-01T00:00:00Z"}'`
              : "UPDATE river_job SET metadata = jsonb_set(metadata, '$.cancel_attempted_at', '2026-01-01T00:00:00Z')",
          );
        }
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
        assert.equal(calls.length, 2);
        assert.equal(events.of("job_snoozed").filter(({ job }) => job.id === id).length, 0);
        assert.equal((await states())["cancelled"], 1);
      },
    );
  }
}
