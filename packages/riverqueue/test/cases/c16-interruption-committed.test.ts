/** When a stop that interrupts attempts is over, and what its events find in the database. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { aborted, clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C16 a cancelling stop ends after the last write, and every event finds its change committed", async (t) => {
  const finishB = deferred<void>();
  const calls: Record<number, number> = {};
  const seen: [kind: string, n: unknown, state: unknown, attempt: unknown][] = [];
  const { start, client, insert, row, sql, events } = await clientOnSqlite(t, {
    client: {
      hooks: {
        onEvent: (event) => {
          if (!("job" in event) || event.kind === "job_started") return;
          const stored = sql.prepare("SELECT state, attempt FROM river_job WHERE id = ?").get(event.job.id);
          seen.push([event.kind, event.job.args["n"], stored?.["state"], stored?.["attempt"]]);
        },
      },
    },
    handler: async ({ job, signal }) => {
      const n = Number(job.args["n"]);
      calls[n] = (calls[n] ?? 0) + 1;
      const reason = await aborted(signal);
      assert.ok(reason instanceof LifecycleError);
      switch (n) {
        case 0:
          throw reason;
        case 1:
          return finishB.promise;
        case 2:
          throw new Error("of its own");
        default:
          throw new Error("x", { cause: new Error("y", { cause: reason }) });
      }
    },
  });
  const ids = await insert(4, { maxAttempts: 1 });
  const run = await start();
  await events.when("job_started", 4);
  let stopped = false;
  const stop = run.stop({ mode: "cancel" }).then(() => (stopped = true));
  // B goes on for as long as it likes; what the others came to is written meanwhile.
  await events.when("job_interrupted", 2);
  await events.when("job_failed");
  assert.equal(stopped, false);
  assert.equal(run.state, "stopping");
  assert.equal((await client.jobs.get(ids[1] ?? 0n))?.state, "running");
  finishB.resolve();
  await stop;
  assert.deepEqual(calls, { 0: 1, 1: 1, 2: 1, 3: 1 });
  const rows = [];
  for (const id of ids) {
    const { state, attempt, errors, finalizedAt } = await row(id);
    rows.push([state, attempt, errors.map(({ error }) => error), finalizedAt !== null]);
  }
  assert.deepEqual(rows, [
    ["available", 0, [], false],
    ["completed", 1, [], true],
    ["discarded", 1, ["of its own"], true],
    ["available", 0, [], false],
  ]);
  assert.deepEqual(
    seen.toSorted((a, b) => Number(a[1]) - Number(b[1])),
    [
      ["job_interrupted", 0, "available", 0],
      ["job_completed", 1, "completed", 1],
      ["job_failed", 2, "discarded", 1],
      ["job_interrupted", 3, "available", 0],
    ],
  );
  const { job_interrupted: interrupted, job_completed: completed, job_failed: failed } = events.kinds();
  assert.deepEqual([interrupted, completed, failed], [2, 1, 1]);
});

test("C16 what was interrupted is due at once, and another client works it as its first attempt", async (t) => {
  const first = await clientOnSqlite(t, {
    handler: async ({ signal }) => {
      throw await aborted(signal);
    },
  });
  const attempts: number[] = [];
  const second = await clientOnSqlite(t, {
    database: first.database,
    client: { queues: { default: { ...quickQueue(1), pollInterval: { milliseconds: 20 } } } },
    handler: ({ job }) => void attempts.push(job.attempt),
  });
  const [id = 0n] = await first.insert(1, { maxAttempts: 1 });
  const run = await first.start();
  await first.events.when("job_started");
  await second.start();
  await run.stop({ mode: "cancel" });
  await second.events.when("job_completed");
  assert.deepEqual(attempts, [1]);
  const { state, attempt, errors, attemptedBy } = await first.row(id);
  assert.deepEqual([state, attempt, errors.length], ["completed", 1, 0]);
  assert.deepEqual(attemptedBy, [first.client.clientId, second.client.clientId]);
});
