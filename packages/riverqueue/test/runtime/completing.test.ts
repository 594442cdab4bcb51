/** How ends of attempts reach the database: batches, tries, back-pressure, and what is given up when. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import type { SettleJobsParams } from "../../src/driver/settle-jobs.ts";
import { deferred } from "../../src/kit/deferred.ts";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import { COMPLETION_CAPACITY } from "../../src/runtime/completion-pipeline.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError, type Intercept } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const ALONE = { leaderElectionDisabled: true, pollOnly: true, queueControlPollInterval: { hours: 1 } } as const;

/** Settling as the test wants it, everything else as it is. */
function onSettle(settle: (params: SettleJobsParams, proceed: () => Promise<unknown>) => unknown): Intercept {
  return (verb, params: never, proceed) => (verb === "jobs.settle" ? settle(params, proceed) : proceed());
}

function countsOf(metrics: readonly RiverMetric[], name: RiverMetric["name"]): number[] {
  return metrics.flatMap((metric) => (metric.name === name && "count" in metric ? [metric.count] : []));
}

test("JS-80 JS-81 JS-82 JS-84 a transient failure is tried three times, queued again, and nothing is lost", async (t) => {
  const clock = new ManualClock();
  const tries: number[] = [];
  const limits: unknown[] = [];
  const metrics: RiverMetric[] = [];
  let calls = 0;
  let broken = true;
  const { start, insert, states, events, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, hooks: { onMetric: (metric) => void metrics.push(metric) } },
    handler: () => void calls++,
    intercept: (verb, _, proceed, call) => {
      if (verb !== "jobs.settle") return proceed();
      tries.push(clock.monotonic());
      limits.push(call?.timeoutMs);
      if (broken) throw databaseError("transient");
      return proceed();
    },
  });
  await insert(3);
  const run = await start();
  await pollUntil(() => tries.length === 1);
  await clock.advance(6_999);
  assert.deepEqual(tries, [0, 1_000, 3_000]);
  assert.equal(run.diagnostics.pendingCompletions, 3);
  assert.equal(run.diagnostics.completionCapacity, COMPLETION_CAPACITY - 3);
  assert.equal(run.diagnostics.completionQueries, 1);
  assert.deepEqual(countsOf(metrics, "job_completion_requeued"), []);
  await clock.advance(1);
  assert.deepEqual(countsOf(metrics, "job_completion_requeued"), [3]);
  await pollUntil(() => tries.length === 4);
  broken = false;
  await clock.advance(1_000);
  await events.when("job_completed", 3);
  assert.deepEqual(tries, [0, 1_000, 3_000, 7_000, 8_000]);
  assert.ok(limits.every((limit) => limit === 10_000));
  assert.deepEqual(states(), { completed: 3 });
  assert.equal(calls, 3);
  assert.deepEqual(countsOf(metrics, "job_completion_dropped"), []);
  const levels = logs
    .filter(({ message }) => message.startsWith("storing completions failed"))
    .map(({ level }) => level);
  assert.deepEqual(new Set(levels), new Set(["warn"]));
});

test("JS-81 the pauses between the tries of a batch are varied by a tenth", async (t) => {
  const clock = new ManualClock();
  const tries: number[] = [];
  const { start, insert } = await clientOnSqlite(t, {
    environment: { ...manualEnvironment(clock), random: () => 0 },
    client: ALONE,
    intercept: onSettle(() => {
      tries.push(clock.monotonic());
      throw databaseError("transient");
    }),
  });
  await insert(1);
  await start();
  await pollUntil(() => tries.length === 1);
  await clock.advance(2_700);
  assert.deepEqual(tries, [0, 900, 2_700]);
});

test("JS-83 JS-84 JS-73 any other failure drops the batch after its three tries, and what comes later is stored", async (t) => {
  const clock = new ManualClock();
  const metrics: RiverMetric[] = [];
  let tries = 0;
  const { start, insert, states, events, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, hooks: { onMetric: (metric) => void metrics.push(metric) } },
    intercept: onSettle((_, proceed) => {
      if (++tries <= 3) throw databaseError("other");
      return proceed();
    }),
  });
  await insert(2);
  const run = await start();
  await pollUntil(() => tries === 1);
  await clock.advance(7_000);
  assert.deepEqual(countsOf(metrics, "job_completion_dropped"), [2]);
  assert.equal(run.diagnostics.pendingCompletions, 0);
  assert.deepEqual(states(), { running: 2 });
  await insert(1);
  await clock.advance(1_100);
  await events.when("job_completed");
  assert.deepEqual(states(), { running: 2, completed: 1 });
  const dropped = logs.find(({ message }) => message.includes("stay running until they are rescued"));
  assert.equal(dropped?.level, "error");
  assert.deepEqual([dropped?.attributes["count"], dropped?.attributes["jobIds"]], [2, ["1", "2"]]);
});

for (const kind of ["transient", "other"] as const) {
  test(`JS-85 JS-110 a stop with the database down abandons completions at the first persistent failure, ${kind}, without a last pause`, async (t) => {
    const clock = new ManualClock();
    const metrics: RiverMetric[] = [];
    const tries: number[] = [];
    const { start, insert, states, events, logs } = await clientOnSqlite(t, {
      environment: manualEnvironment(clock),
      client: { ...ALONE, completionBatchSize: 2, hooks: { onMetric: (metric) => void metrics.push(metric) } },
      intercept: onSettle(() => {
        tries.push(clock.monotonic());
        throw databaseError(kind);
      }),
    });
    await insert(7);
    const run = await start();
    await events.when("job_started", 7);
    await pollUntil(() => tries.length === 2);
    await advanceUntil(clock, run.stop(), 100);
    await run.completed;
    // Two batches of two were on their way; the three that waited behind them are not even tried.
    assert.deepEqual(tries, [0, 0, 1_000, 1_000, 3_000, 3_000]);
    assert.deepEqual(states(), { running: 7 });
    assert.equal(
      countsOf(metrics, "job_completion_dropped").reduce((sum, count) => sum + count, 0),
      7,
    );
    assert.deepEqual(countsOf(metrics, "job_completion_requeued"), []);
    assert.ok(
      logs.some(({ level, message }) => level === "error" && message.startsWith("storing completions failed for good")),
    );
  });
}

test("JS-85 a stop that begins during the pause after a batch's third try does not wait for its end", async (t) => {
  const clock = new ManualClock();
  const metrics: RiverMetric[] = [];
  const tries: number[] = [];
  const { start, insert, states, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, hooks: { onMetric: (metric) => void metrics.push(metric) } },
    intercept: onSettle(() => {
      tries.push(clock.monotonic());
      throw databaseError("transient");
    }),
  });
  await insert(2);
  const run = await start();
  await events.when("job_started", 2);
  await pollUntil(() => tries.length === 1);
  await clock.advance(3_500);
  assert.deepEqual(tries, [0, 1_000, 3_000]);
  await run.stop();
  assert.equal(clock.monotonic(), 3_500);
  assert.deepEqual(countsOf(metrics, "job_completion_dropped"), [2]);
  assert.deepEqual(countsOf(metrics, "job_completion_requeued"), []);
  assert.deepEqual(states(), { running: 2 });
});

for (const { left, limits: expected } of [
  { left: { milliseconds: 3_500 }, limits: [10_000, 2_500, 1_000] },
  { left: { minutes: 1 }, limits: [10_000, 10_000, 10_000] },
]) {
  test(`JS-85 while a stop with a timeout drains, a try lasts no longer than what is left, but a second, and 10 s at most: ${JSON.stringify(left)}`, async (t) => {
    const clock = new ManualClock();
    const limits: unknown[] = [];
    const { start, insert, events } = await clientOnSqlite(t, {
      environment: manualEnvironment(clock),
      client: ALONE,
      intercept: (verb, _, proceed, call) => {
        if (verb !== "jobs.settle") return proceed();
        limits.push(call?.timeoutMs);
        throw databaseError("transient");
      },
    });
    await insert(1);
    const run = await start();
    await events.when("job_started");
    await pollUntil(() => limits.length === 1);
    const stopped = run.stop({ mode: "cancel", timeout: left });
    await clock.advance(3_000);
    await stopped;
    assert.deepEqual(limits, expected);
  });
}

test("a part-filled batch goes out at once while no statement runs, else after the interval, and there are never three", async (t) => {
  const gate = deferred<void>();
  const clock = new ManualClock();
  const batches: number[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, completionBatchSize: 5, queues: { default: quickQueue(100) } },
    intercept: onSettle(async ({ settlements }, proceed) => {
      batches.push(settlements.length);
      await gate.promise;
      return proceed();
    }),
  });
  await insert(2);
  const run = await start();
  await pollUntil(() => batches.length === 1);
  await insert(4);
  await clock.advance(20);
  await pollUntil(() => run.diagnostics.pendingCompletions === 6);
  assert.deepEqual([run.diagnostics.completionQueries, batches], [1, [2]]);
  await clock.advance(50);
  await pollUntil(() => batches.length === 2);
  await insert(12);
  await clock.advance(200);
  await pollUntil(() => run.diagnostics.pendingCompletions === 18);
  assert.deepEqual([run.diagnostics.completionQueries, batches], [2, [2, 4]]);
  gate.resolve();
  await advanceUntil(clock, events.when("job_completed", 18), 50);
  assert.ok(batches.every((size) => size <= 5));
});

test("rows are read back from plain completions only while somebody listens to them", async (t) => {
  for (const listens of [false, true]) {
    const wanted: boolean[] = [];
    const { start, insert, states } = await clientOnSqlite(t, {
      eventKinds: [listens ? "job_completed" : "job_started"],
      intercept: onSettle(({ wantRows }, proceed) => {
        wanted.push(wantRows);
        return proceed();
      }),
    });
    await insert(3);
    const run = await start();
    await pollUntil(() => states()["completed"] === 3);
    await run.stop();
    assert.deepEqual(new Set(wanted), new Set([listens]));
  }
});
