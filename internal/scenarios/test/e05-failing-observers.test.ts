/** Observers that fail at everything they are told. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { cancel, complete, type RiverPlugin, snooze } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene } from "../src/scene.ts";

failOnLeaks();

onBothDatabases(
  "E05 subscribers and hooks that throw at everything change nothing about jobs, and every failure is counted",
  async (t, database) => {
    let metrics = 0;
    const thrower: RiverPlugin = {
      name: "thrower",
      hooks: {
        onEvent: () => {
          throw new Error("at once");
        },
        onMetric: () => {
          metrics++;
          throw new Error("at once");
        },
      },
    };
    const { start, insert, client, events, states, logs, row, calls } = openScene(t, database, {
      client: {
        plugins: [thrower],
        hooks: {
          onEvent: async () => Promise.reject(new Error("later")),
          onMetric: () => {
            metrics++;
            // Whatever a hook returns: a promise is not asked for, and may reject all the same.
            return Promise.reject(new Error("later")) as unknown as undefined;
          },
        },
        retryPolicy: (_, now) => now,
      },
      handler: ({ job }) => {
        if (job.metadata["snoozes"] !== undefined || job.attempt > 1) return undefined;
        switch (Number(job.args["n"]) % 4) {
          case 0:
            return complete({ output: job.args["n"] ?? null });
          case 1:
            throw new Error("once");
          case 2:
            return snooze({ seconds: 0 });
          default:
            return cancel();
        }
      },
    });
    // One that reads on after each failure, and one that is over after the first.
    const subscription = client.subscribe({ capacity: 1_000_000 });
    const read = { failures: 0 };
    const reader = (async () => {
      for (;;) {
        const { done } = await subscription.next();
        if (done) return;
        await Promise.reject(new Error("reader")).catch(() => read.failures++);
      }
    })();
    const leaver = (async () => {
      for await (const event of client.subscribe()) throw new Error(event.kind);
    })();
    const left = assert.rejects(leaver);

    const ids = await insert(40);
    const run = await start();
    await events.when("job_completed", 30);
    await events.when("job_cancelled", 10);
    await run.stop();
    await Promise.all([reader, left]);

    assert.deepEqual(await states(), { cancelled: 10, completed: 30 });
    assert.equal(calls.length, 60);
    const { job_started: started, job_failed: failed, job_snoozed: snoozed } = events.kinds();
    assert.deepEqual([started, failed, snoozed], [60, 10, 10]);
    assert.deepEqual((await row(ids[3] ?? 0n)).metadata["output"], 4);
    assert.equal(read.failures, events.all.length);
    const counted = (message: string): unknown => {
      const failures = logs.filter((entry) => entry.message === message);
      assert.equal(failures.at(-1)?.attributes["failures"], failures.length);
      return failures.length;
    };
    assert.equal(counted("onEvent hook failed"), 2 * events.all.length);
    assert.ok(metrics > 0);
    assert.equal(counted("onMetric hook failed"), metrics);
  },
);
