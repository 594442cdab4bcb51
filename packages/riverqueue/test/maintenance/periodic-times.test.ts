/** How long the periodic enqueuer waits: after a start hook that failed, and for the next occurrence. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { defineJob } from "../../src/definition/define-job.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/logger.ts";
import type { ServiceContext } from "../../src/maintenance/maintenance-service.ts";
import { PeriodicEnqueuer, type PeriodicParts } from "../../src/maintenance/periodic-enqueuer.ts";
import { readClocks, Tenure } from "../../src/maintenance/tenure.ts";
import { cron } from "../../src/periodic/cron.ts";
import { PeriodicJobRegistry } from "../../src/periodic/periodic-job-registry.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";

const daily = periodicJob({
  job: defineJob({ kind: "daily" }),
  args: {},
  schedule: cron("0 0 * * *", { timeZone: "UTC" }),
});

/** A service of a term that nothing but the test ends; no occurrence is inserted, so that it needs no database. */
function startService(clock: Clock, onStart: PeriodicParts<never>["onStart"]) {
  const term = { leaderId: "me", electedAt: clock.now(), expiresAt: clock.now().add({ hours: 1_000 }) };
  const tenure = new Tenure(clock, term, readClocks(clock), 3_600_000_000);
  const registry = new PeriodicJobRegistry([daily], {
    leaderElectionDisabled: false,
    logger: silentLogger,
    now: () => clock.now(),
  });
  const environment = { clock, random: () => 0.5 };
  const context = { environment, logger: silentLogger } as unknown as ServiceContext<never>;
  const service = new PeriodicEnqueuer(context, { registry, onStart } as unknown as PeriodicParts<never>);
  const passes: number[] = [];
  const served = service.serve(tenure, () => {
    passes.push(clock.monotonic());
    return Promise.resolve();
  });
  return { passes, stop: () => (tenure.finish("stopped"), served) };
}

test("a start hook that fails is tried again after 1 s, then twice as long each time, up to 30 s", async () => {
  const clock = new ManualClock();
  const tries: number[] = [];
  const { passes, stop } = startService(clock, [
    () => {
      tries.push(clock.monotonic());
      throw new Error("not yet");
    },
  ]);
  await clock.advance(100_000);
  assert.deepEqual(tries, [0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
  assert.deepEqual(passes, []);
  await stop();
});

test("a wall clock that jumps past an occurrence is noticed within a minute", async () => {
  const manual = new ManualClock("2026-01-02T03:04:05Z");
  let jumped = Temporal.Duration.from({ hours: 0 });
  const clock: Clock = {
    now: () => manual.now().add(jumped),
    monotonic: () => manual.monotonic(),
    setTimer: (callback, ms) => manual.setTimer(callback, ms),
  };
  const { passes, stop } = startService(clock, []);
  await manual.advance(90_000);
  assert.deepEqual(passes, [0]);
  jumped = Temporal.Duration.from({ hours: 24 });
  await manual.advance(29_999);
  assert.deepEqual(passes, [0]);
  await manual.advance(1);
  assert.deepEqual(passes, [0, 120_000]);
  await stop();
});
