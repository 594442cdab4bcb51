/** When the reindexer runs: by the wall clock, whatever that does meanwhile. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import type { Clock } from "../../src/kit/clock.ts";
import type { ServiceContext } from "../../src/maintenance/maintenance-service.ts";
import { Reindexer } from "../../src/maintenance/reindexer.ts";
import { readClocks, Tenure } from "../../src/maintenance/tenure.ts";

test("a wall clock that jumps past the time of a run is noticed within a minute", async () => {
  const manual = new ManualClock();
  let jumped = Temporal.Duration.from({ hours: 0 });
  const clock: Clock = {
    now: () => manual.now().add(jumped),
    monotonic: () => manual.monotonic(),
    setTimer: (callback, ms) => manual.setTimer(callback, ms),
  };
  const term = { leaderId: "me", electedAt: clock.now(), expiresAt: clock.now().add({ hours: 1_000 }) };
  const tenure = new Tenure(manual, term, readClocks(manual), 3_600_000_000);
  // It sleeps, and works with nothing else until it has slept.
  const reindexer = new Reindexer({
    environment: { clock },
    settings: { reindexerIndexNames: null, reindexerSchedule: (after: Temporal.Instant) => after.add({ hours: 24 }) },
  } as unknown as ServiceContext<never>);
  const runs: number[] = [];
  reindexer.prepare(tenure);
  const served = reindexer.serve(tenure, () => {
    runs.push(manual.monotonic());
    tenure.finish("stopped");
    return Promise.resolve();
  });
  await manual.advance(90_000);
  jumped = Temporal.Duration.from({ hours: 24 });
  await manual.advance(29_999);
  assert.deepEqual(runs, []);
  await manual.advance(1);
  assert.deepEqual(runs, [120_000]);
  await served;
});

test("a schedule that rejects is refused like one that throws, and leaves no unhandled rejection", () => {
  const manual = new ManualClock();
  const term = { leaderId: "me", electedAt: manual.now(), expiresAt: manual.now().add({ hours: 1 }) };
  const reindexer = new Reindexer({
    environment: { clock: manual },
    settings: { reindexerIndexNames: null, reindexerSchedule: () => Promise.reject(new Error("no")) },
  } as unknown as ServiceContext<never>);
  const tenure = new Tenure(manual, term, readClocks(manual), 3_600_000);
  assert.throws(() => reindexer.prepare(tenure), /^TypeError: maintenance.reindexerSchedule must return/);
});
