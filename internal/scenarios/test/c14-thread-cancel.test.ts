/** A cancellation of an attempt that waits for a thread. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { onBothDatabases } from "../src/database.ts";
import { openThreadScene } from "../src/thread-scene.ts";

failOnLeaks();

onBothDatabases(
  "C14 (b) a cancel while an attempt waits for a thread: its handler never starts, and the job ends cancelled",
  async (t, database) => {
    const { start, client, insertEach, events, row, callsOf, executor } = openThreadScene(t, database, {
      module: new URL("./testdata/late-threads.js", import.meta.url),
      exportName: "act",
      threads: { maxThreads: 1 },
    });
    await start();
    const [running = 0n] = await insertEach([{ way: "wait" }]);
    await pollUntil(() => callsOf(running) === 1);
    const [waiting = 0n, next = 0n] = await insertEach([{ way: "finish" }, { way: "finish" }]);
    await pollUntil(() => executor.diagnostics().pendingTasks === 2);
    await client.jobs.cancel(waiting);
    await events.when("job_cancelled");
    const cancelled = await row(waiting);
    assert.deepEqual(
      [cancelled.state, cancelled.attempt, cancelled.errors.map(({ error }) => error), cancelled.finalizedAt !== null],
      ["cancelled", 1, ["JobCancelError: job cancelled remotely"], true],
    );
    assert.equal((await row(running)).state, "running", "the thread has never been free");
    await client.jobs.cancel(running);
    await events.when("job_cancelled", 2);
    await events.when("job_completed");
    assert.deepEqual([callsOf(running), callsOf(waiting), callsOf(next)], [1, 0, 1]);
    assert.deepEqual(events.jobKinds(), { job_started: 3, job_cancelled: 2, job_completed: 1 });
    assert.equal(executor.diagnostics().crashedThreads, 0);
  },
);
