/** One row that another session has locked, in one batch with ninety-nine that are free. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, scaled, withDeadline } from "@riverqueue/internal-test-kit";
import { onPostgres, postgresDatabase } from "../src/database.ts";
import { numbered, openScene, quickQueue } from "../src/scene.ts";

failOnLeaks();

const JOBS = 100;
/** Of the role; a statement that waits for the lock is cancelled by it, and one that does not must not be. */
const STATEMENT_TIMEOUT_MS = Math.max(1_000, scaled(2_000));
const HELD_MS = scaled(30_000);

onPostgres(
  "C24 a row under another session's lock waits alone: ninety-nine complete, claims flow, none runs twice",
  async (t, lease) => {
    const finish = Promise.withResolvers<void>();
    const options = `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`;
    const scene = openScene(t, postgresDatabase(lease, { options }), {
      client: { queues: { default: quickQueue(2 * JOBS) } },
      handler: async ({ job }) => {
        if (Number(job.args["n"]) <= JOBS) await withDeadline(finish.promise, "the word to finish");
      },
    });
    const { client, insert, start, events, row, states, calls, metrics, complaints } = scene;
    const ids = await insert(JOBS);
    const [, , locked = 0n] = ids;
    const run = await start();
    await events.when("job_started", JOBS);
    const holder = await lease.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [locked]);
    const since = performance.now();
    finish.resolve();
    await events.when("job_completed", JOBS - 1);
    assert.deepEqual(await states(), { completed: JOBS - 1, running: 1 });
    assert.equal((await row(locked)).state, "running");
    // For as long as the lock is held other jobs come, are claimed and complete.
    let more = 0;
    await pollUntil(
      async () => {
        await client.insertMany(numbered(2).map((item) => ({ ...item, args: { n: JOBS + ++more } })));
        await events.when("job_completed", JOBS - 1 + more);
        return performance.now() - since > HELD_MS;
      },
      { deadlineMs: 90_000 },
    );
    assert.equal(
      events.of("job_completed").some(({ job }) => job.id === locked),
      false,
    );
    await holder.query("ROLLBACK");
    await events.when("job_completed", 1, ({ job }) => job.id === locked);
    await run.stop();
    assert.deepEqual(await states(), { completed: JOBS + more });
    assert.equal(new Set(calls).size, calls.length, "no handler runs twice");
    assert.deepEqual(events.jobKinds(), { job_started: JOBS + more, job_completed: JOBS + more });
    for (const id of ids) {
      const { attempt, errors, attemptedBy } = await row(id);
      assert.deepEqual([attempt, errors.length, attemptedBy.length], [1, 0, 1]);
    }
    assert.ok(!metrics.some(({ name }) => name === "job_completion_dropped" || name === "job_completion_degraded"));
    assert.deepEqual(
      complaints().filter(({ level }) => level === "error"),
      [],
    );
  },
);
