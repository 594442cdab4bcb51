/** Completions of rows that another session holds: they are tried again by themselves, and a stop does not wait for ever. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import type { SettledJob, Settlement, SettleJobsParams } from "../../src/driver/settle-jobs.ts";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError, type Intercept } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const ALONE = { leaderElectionDisabled: true, pollOnly: true, queueControlPollInterval: { hours: 1 } } as const;

test("C24 a row that another session holds is tried again by itself, and its neighbours do not wait", async (t) => {
  const clock = new ManualClock();
  const tries: number[] = [];
  let locked = true;
  const { start, insert, events, row } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: ALONE,
    intercept: onSettle(async ({ settlements }, proceed) => {
      if (!settlements.some(({ id }) => id === 3n)) return proceed();
      tries.push(clock.monotonic());
      if (!locked) return proceed();
      // As a database with row locks answers.
      const done = settlements.length > 1 ? await settleAllBut(3n, settlements, proceed) : [];
      return [...done, lockedRow(3n)];
    }),
  });
  await insert(5);
  await start();
  await events.when("job_completed", 4);
  await advanceUntil(clock, reached(clock, 6_000), 10);
  locked = false;
  await advanceUntil(clock, events.when("job_completed", 5), 10);
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  // A step of the clock may lie between a pause and the batch that follows it.
  for (const [index, wait] of [100, 200, 400, 800, 1_000, 1_000, 1_000].entries()) {
    const gap = gaps[index] ?? 0;
    assert.ok(gap >= wait && gap <= wait + 50, `pause ${index} is ${gap} ms instead of ${wait}`);
  }
  assert.equal((await row(3n)).attempt, 1);
});

test("JS-85 a stop gives up a row that another session goes on holding, after half a minute", async (t) => {
  const clock = new ManualClock();
  const metrics: RiverMetric[] = [];
  const { start, insert, events, states } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, hooks: { onMetric: (metric) => void metrics.push(metric) } },
    intercept: onSettle(({ settlements }) => settlements.map(({ id }) => lockedRow(id))),
  });
  await insert(1);
  const run = await start();
  await events.when("job_started");
  const began = clock.monotonic();
  await advanceUntil(clock, run.stop(), 100);
  const took = clock.monotonic() - began;
  assert.ok(took >= 30_000 && took <= 33_000, `${took} ms`);
  assert.deepEqual(states(), { running: 1 });
  assert.deepEqual(dropped(metrics), [1]);
});

test("JS-85 once a stop has abandoned completions, it does not wait for a row that another session holds", async (t) => {
  const clock = new ManualClock();
  const metrics: RiverMetric[] = [];
  const { start, insert, events, states } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      ...ALONE,
      completionBatchSize: 1,
      queues: { default: quickQueue(2) },
      hooks: { onMetric: (metric) => void metrics.push(metric) },
    },
    intercept: onSettle(({ settlements }) => {
      if (settlements.some(({ id }) => id === 1n)) throw databaseError("transient");
      return settlements.map(({ id }) => lockedRow(id));
    }),
  });
  await insert(2);
  const run = await start();
  await events.when("job_started", 2);
  const began = clock.monotonic();
  await advanceUntil(clock, run.stop(), 100);
  assert.ok(clock.monotonic() - began <= 6_000, `${clock.monotonic() - began} ms`);
  assert.deepEqual(states(), { running: 2 });
  assert.deepEqual(dropped(metrics), [1, 1]);
});

/** Settling as the test wants it, everything else as it is. */
function onSettle(settle: (params: SettleJobsParams, proceed: () => Promise<unknown>) => unknown): Intercept {
  return (verb, params: never, proceed) => (verb === "jobs.settle" ? settle(params, proceed) : proceed());
}

function lockedRow(id: bigint): SettledJob {
  return { id, outcome: "locked", state: null, job: null };
}

function dropped(metrics: readonly RiverMetric[]): number[] {
  return metrics.flatMap((metric) => (metric.name === "job_completion_dropped" ? [metric.count] : []));
}

/** Resolves once the clock, which somebody else moves, is at `ms`. */
function reached(clock: ManualClock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(resolve, ms - clock.monotonic()));
}

async function settleAllBut(
  id: bigint,
  settlements: readonly Settlement[],
  proceed: () => Promise<unknown>,
): Promise<readonly SettledJob[]> {
  const index = settlements.findIndex((settlement) => settlement.id === id);
  // The driver sees the same list.
  (settlements as Settlement[]).splice(index, 1);
  return (await proceed()) as readonly SettledJob[];
}
