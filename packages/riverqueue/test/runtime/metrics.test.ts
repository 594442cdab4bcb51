/** Metrics of claims, and the whole of a runtime's diagnostics. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import type { WorkExecutor } from "../../src/work/work-executor.ts";
import { Workers } from "../../src/work/workers.ts";
import { aborted, clientOnSqlite, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

test("every successful claim is measured by queue, also one that found nothing, and a refused one is not", async (t) => {
  const metrics: RiverMetric[] = [];
  let refused = 0;
  const { start, insert, events } = await clientOnSqlite(t, {
    client: {
      queues: { default: quickQueue(), other: quickQueue() },
      hooks: { onMetric: (metric) => void metrics.push(metric) },
    },
    intercept: (verb, params: { readonly queue?: string }, proceed) => {
      if (verb !== "jobs.claim" || params.queue !== "other" || refused > 0) return proceed();
      refused += 1;
      assert.ok(!metrics.some((metric) => "queue" in metric && metric.queue === "other"));
      throw databaseError("transient", "jobs.claim");
    },
  });
  const countsOf = (queue: string): number[] =>
    metrics.flatMap((metric) =>
      metric.name === "job_get_available_count" && metric.queue === queue ? [metric.count] : [],
    );
  await insert(3);
  await start();
  await events.when("job_completed", 3);
  await pollUntil(() => countsOf("default").includes(0) && countsOf("other").includes(0));
  assert.equal(
    countsOf("default").reduce((sum, count) => sum + count, 0),
    3,
  );
  const durations = metrics.filter(({ name }) => name === "job_get_available_duration");
  assert.equal(durations.length, metrics.length / 2);
  for (const metric of durations) {
    assert.ok("duration" in metric && metric.duration instanceof Temporal.Duration && metric.duration.sign >= 0);
  }
});

test("a queue that is paused, or has no free worker, measures nothing", async (t) => {
  const metrics: RiverMetric[] = [];
  const { client, start, insert, events } = await clientOnSqlite(t, {
    client: {
      queues: { default: quickQueue(1), paused: quickQueue() },
      hooks: { onMetric: (metric) => void metrics.push(metric) },
    },
    handler: ({ signal }) => aborted(signal).then(() => undefined),
  });
  await insert(2);
  await insert(1, { queue: "paused" });
  const before = await clientOnSqlite(t, { client: { queues: { paused: quickQueue() } } });
  assert.ok(before);
  const run = await start();
  await client.queues.pause("paused");
  await events.when("queue_paused");
  await events.when("job_started");
  const busy = metrics.length;
  await client.queues.resume("paused");
  await events.when("queue_resumed");
  await pollUntil(() => metrics.length > busy);
  assert.ok(metrics.slice(busy).every((metric) => "queue" in metric && metric.queue === "paused"));
  await run.stop({ mode: "cancel" });
});

test("the diagnostics have everything there is to know about a runtime, and executors by name", async (t) => {
  const executor: WorkExecutor = {
    name: "elsewhere",
    start: (_, handler) => ({
      result: Promise.resolve(handler as undefined),
      abort: () => Promise.resolve({ terminated: false }),
    }),
    diagnostics: (): JsonObject => ({ threads: 2 }),
  };
  const workers = new Workers().addExecutor(task, { executor, handler: undefined });
  const { client, start } = await clientOnSqlite(t, { client: { workers, queues: { default: quickQueue(3) } } });
  const run = await start();
  await pollUntil(() => run.diagnostics.maintenance?.isLeader);
  const { maintenance, queues, ...rest } = run.diagnostics;
  assert.deepEqual(rest, {
    activeAttempts: 0,
    clientId: client.clientId,
    completionCapacity: rest.completionCapacity,
    completionQueries: 0,
    eventLoopDelay: null,
    executors: { elsewhere: { threads: 2 } },
    pendingCompletions: 0,
    state: "running",
  });
  assert.ok(rest.completionCapacity > 0);
  const { fetchCooldown, pollInterval, ...queue } = queues["default"] ?? assert.fail();
  assert.deepEqual(queue, { maxWorkers: 3, paused: false });
  assert.deepEqual([fetchCooldown, pollInterval].map(String), ["PT0.005S", "PT0.05S"]);
  assert.equal(maintenance?.leader?.leaderId, client.clientId);
  assert.equal(maintenance?.lastError, null);
  assert.deepEqual(Object.keys(maintenance?.runs ?? {}).toSorted(), [
    "job_cleaner",
    "notification_cleaner",
    "periodic",
    "queue_cleaner",
    "reindexer",
    "rescuer",
    "scheduler",
  ]);
  await run.stop();
  assert.equal(run.diagnostics.state, "stopped");
});
