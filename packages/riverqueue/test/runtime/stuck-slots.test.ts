/** Slots that a stuck handler gives away: the queue runs one more for as long as the stuck attempt does, and no longer. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import type { JobStuckHandlerResult } from "../../src/work/job-stuck-handler.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const ALONE = { leaderElectionDisabled: true, pollOnly: true, queueControlPollInterval: { hours: 1 } } as const;
/** Time that a job of these tests may take until it is reported. */
const STUCK_AFTER_MS = 2_000;

for (const answered of ["while the attempt runs", "after it has ended"] as const) {
  test(`JS-15 JS-102 a slot that is added ${answered} lasts no longer than the stuck attempt`, async (t) => {
    const clock = new ManualClock();
    const stuck = deferred<void>();
    const finish = deferred<void>();
    const answer = deferred<JobStuckHandlerResult>();
    const [running, most] = [new Set<bigint>(), [] as number[]];
    const { start, insert, events } = await clientOnSqlite(t, {
      environment: manualEnvironment(clock),
      client: {
        ...ALONE,
        jobTimeout: { seconds: 1 },
        jobStuckThreshold: { seconds: 1 },
        queues: { default: { maxWorkers: 1, pollInterval: { seconds: 1 } } },
        stuckHandler: () => {
          stuck.resolve();
          return answer.promise;
        },
      },
      handler: async ({ job }) => {
        most.push(running.add(job.id).size);
        if (job.args["n"] === 0) await finish.promise;
        else await new Promise(setImmediate);
        running.delete(job.id);
      },
    });
    await insert(3);
    const run = await start();
    await events.when("job_started");
    await clock.advance(STUCK_AFTER_MS);
    await stuck.promise;
    if (answered === "while the attempt runs") {
      answer.resolve({ addWorkerSlot: true });
      await advanceUntil(clock, events.when("job_completed", 2), 100);
      assert.deepEqual([...most], [1, 2, 2], "two run, one of them in the place of the stuck one");
      finish.resolve();
    } else {
      finish.resolve();
      await events.when("job_completed");
      answer.resolve({ addWorkerSlot: true });
    }
    await advanceUntil(clock, events.when("job_completed", 3), 100);
    await pollUntil(() => run.diagnostics.activeAttempts === 0);
    most.length = 0;
    await insert(5);
    await advanceUntil(clock, events.when("job_completed", 8), 100);
    assert.deepEqual(most, [1, 1, 1, 1, 1]);
  });
}
