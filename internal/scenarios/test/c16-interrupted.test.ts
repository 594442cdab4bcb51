/** Attempts that a stop interrupts: what becomes of them, when the stop is over, and what its events find in the database. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { LifecycleError } from "riverqueue";
import { aborted } from "../src/aborted.ts";
import { onBothDatabases } from "../src/database.ts";
import { openScene, type Scene } from "../src/scene.ts";

failOnLeaks();

onBothDatabases(
  "C16 JS-56 JS-57 JS-58 JS-59 a cancelling stop ends after the last write, and every event finds its change committed",
  async (t, database) => {
    const finishB = Promise.withResolvers<void>();
    const seen: Promise<[kind: string, n: unknown, state: unknown, attempt: unknown]>[] = [];
    const { start, client, insert, row, calls, events }: Scene = openScene(t, database, {
      client: {
        hooks: {
          onEvent: (event) => {
            if (!("job" in event) || event.kind === "job_started") return;
            const stored = client.jobs.get(event.job.id);
            seen.push(stored.then((found) => [event.kind, event.job.args["n"], found?.state, found?.attempt]));
          },
        },
      },
      handler: async ({ job, signal }) => {
        const reason = await aborted(signal);
        assert.ok(reason instanceof LifecycleError);
        switch (Number(job.args["n"])) {
          case 1:
            throw reason;
          case 2:
            return finishB.promise;
          case 3:
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
    assert.deepEqual([stopped, run.state], [false, "stopping"]);
    assert.equal((await client.jobs.get(ids[1] ?? 0n))?.state, "running");
    finishB.resolve();
    await stop;
    assert.deepEqual(
      calls.toSorted((a, b) => a - b),
      [1, 2, 3, 4],
    );
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
      (await Promise.all(seen)).toSorted((a, b) => Number(a[1]) - Number(b[1])),
      [
        ["job_interrupted", 1, "available", 0],
        ["job_completed", 2, "completed", 1],
        ["job_failed", 3, "discarded", 1],
        ["job_interrupted", 4, "available", 0],
      ],
    );
    assert.deepEqual(events.jobKinds(), { job_started: 4, job_interrupted: 2, job_completed: 1, job_failed: 1 });
  },
);

onBothDatabases(
  "C16 what was interrupted is due at once, and another client works it as its first attempt",
  async (t, database) => {
    const first = openScene(t, database, {
      handler: async ({ signal }) => {
        throw await aborted(signal);
      },
    });
    const attempts: number[] = [];
    const second = openScene(t, database.again(), { handler: ({ job }) => void attempts.push(job.attempt) });
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
  },
);
