/** What the parts of a runtime are called, and what each shows of itself. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { AttemptRunner } from "../../src/runtime/attempt-runner.ts";
import { CompletionPipeline } from "../../src/runtime/completion-pipeline.ts";
import { NotificationPump } from "../../src/runtime/notification-pump.ts";
import { QueueProducer } from "../../src/runtime/queue-producer.ts";
import { RuntimeController } from "../../src/runtime/runtime-controller.ts";
import { clientOnSqlite, quickQueue, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("JS-114 a controller and its four collaborators are classes of their own, by the names readers look for", () => {
  assert.deepEqual(
    [RuntimeController, QueueProducer, AttemptRunner, CompletionPipeline, NotificationPump].map(({ name }) => name),
    ["RuntimeController", "QueueProducer", "AttemptRunner", "CompletionPipeline", "NotificationPump"],
  );
});

test("JS-33 JS-25 a handler that does not yield holds up the whole process, and the diagnostics show it", async (t) => {
  let turnsWhileWorking = 0;
  const { start, insert, events } = await clientOnSqlite(t, {
    client: {
      queues: { default: quickQueue(10) },
      eventLoopDelay: {
        reportInterval: { milliseconds: 20 },
        resolution: { milliseconds: 1 },
        warningThreshold: { milliseconds: 50 },
      },
    },
    handler: () => {
      const turned = setImmediate(() => turnsWhileWorking++);
      const before = turnsWhileWorking;
      const until = performance.now() + 80;
      while (performance.now() < until);
      assert.equal(turnsWhileWorking, before, "the loop does not turn under a handler that does not yield");
      clearImmediate(turned);
    },
  });
  const run = await start();
  await insert(3);
  const [delay] = await events.when("runtime_event_loop_delay");
  assert.equal(delay?.eventLoopDelay.exceededThreshold, true);
  await events.when("job_completed", 3);
  assert.ok(run.diagnostics.eventLoopDelay?.max instanceof Temporal.Duration);
  // The latest: once nothing holds the loop up any more, it says so.
  await pollUntil(() => run.diagnostics.eventLoopDelay?.exceededThreshold === false);
});

test("JS-91 JS-94 a client that never leads runs no maintenance, and works the periodic jobs that a leader inserts", async (t) => {
  const leader = await clientOnSqlite(t, {
    client: {
      queues: { elsewhere: quickQueue() },
      periodicJobs: [periodicJob({ job: task, args: { n: 7 }, every: { hours: 1 }, runOnStart: true })],
    },
  });
  const worker = await clientOnSqlite(t, {
    database: leader.database,
    client: { leaderElectionDisabled: true, queues: { default: quickQueue() } },
  });
  const run = await worker.start();
  await leader.start();
  const [completed] = await worker.events.when("job_completed");
  assert.equal(completed?.job.metadata["periodic"], true);
  assert.equal(run.diagnostics.maintenance, null);
  await leader.events.when("leader_acquired");
  for (const kind of ["leader_acquired", "maintenance_succeeded", "maintenance_failed"] as const) {
    assert.deepEqual(worker.events.of(kind), []);
  }
});
