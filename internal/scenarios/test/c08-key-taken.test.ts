/** A retry that falls due when another job has its unique key, among many that have nothing to do with it. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { JobState } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { numbered, openScene, quickQueue, task } from "../src/scene.ts";

failOnLeaks();

const UNRELATED = 500;
/** A job that waits for its next attempt lets go of its key. */
const unique = {
  byArgs: ["key"],
  byState: ["available", "completed", "pending", "running", "scheduled"] as JobState[],
};
const SCHEDULER_INTERVAL_MS = 100;

onBothDatabases(
  "C08 a due retry whose key was taken is discarded, what took it stays, and nothing unrelated waits",
  async (t, database) => {
    const { client, start, events, row, states, calls, logs } = openScene(t, database, {
      client: {
        queues: { default: quickQueue(100) },
        retryPolicy: (_, now) => now.add({ seconds: 1 }),
        maintenance: { schedulerInterval: { milliseconds: SCHEDULER_INTERVAL_MS } },
      },
      handler: ({ job }) => {
        if (job.args["key"] === "A") throw new Error("once");
      },
    });
    const a = await client.insert(task, { n: -1, key: "A" }, { unique });
    const run = await start();
    const [failed] = await events.when("job_failed");
    assert.equal(failed?.job.state, "retryable");
    const due = failed.job.scheduledAt;
    const b = await client.insert(task, { n: -2, key: "A" }, { unique, delay: { hours: 1 } });
    assert.equal(b.status, "inserted");
    const lone = await client.insert(task, { n: 0, key: "lone" }, { unique, scheduledAt: due });
    await client.insertMany(numbered(UNRELATED, { scheduledAt: due }));
    await events.when("job_completed", UNRELATED + 1);
    // A pass that began after all of them.
    const passes = events.of("maintenance_succeeded").filter(({ service }) => service === "scheduler").length;
    await events.when("maintenance_succeeded", passes + 2, ({ service }) => service === "scheduler");

    const discarded = await row(a.job.id);
    assert.deepEqual([discarded.state, discarded.attempt, discarded.errors.length], ["discarded", 1, 1]);
    assert.equal(discarded.metadata["unique_key_conflict"], "scheduler_discarded");
    assert.ok(discarded.finalizedAt !== null);
    assert.deepEqual(await row(b.job.id), b.job);
    const { state, attempt } = await row(lone.job.id);
    assert.deepEqual([state, attempt], ["completed", 1]);
    assert.deepEqual(await states(), { completed: UNRELATED + 1, discarded: 1, scheduled: 1 });
    assert.deepEqual(
      calls.toSorted((x, y) => x - y),
      Array.from({ length: UNRELATED + 2 }, (_, index) => index - 1),
    );
    assert.equal(run.diagnostics.maintenance?.lastError, null);
    assert.deepEqual(
      logs.filter(({ level, attributes }) => level === "error" && attributes["jobId"] === undefined),
      [],
    );
    assert.equal(events.of("maintenance_failed").length, 0);
  },
);
