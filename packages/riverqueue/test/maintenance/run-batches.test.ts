/** Batches of one pass, and the pauses between them. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { type BatchResult, runBatches } from "../../src/maintenance/run-batches.ts";
import { readClocks, Tenure } from "../../src/maintenance/tenure.ts";

/** Runs a pass whose batches act on ten rows each until `batches` of them have run; `begun` has their times. */
function passOf(batches: number, random: number) {
  const clock = new ManualClock();
  const term = { leaderId: "me", electedAt: clock.now(), expiresAt: clock.now().add({ hours: 1 }) };
  const tenure = new Tenure(clock, term, readClocks(clock), 3_600_000);
  const begun: number[] = [];
  const batch = async (): Promise<BatchResult> => {
    begun.push(clock.monotonic());
    return { acted: 10, more: begun.length < batches };
  };
  const environment = { clock, random: () => random, databaseNow: null, probe: () => {} };
  return { clock, tenure, begun, total: runBatches(environment, tenure, batch) };
}

for (const [random, pauseMs] of [
  [0, 50],
  [0.5, 525],
  [0.999, 999.05],
] as const) {
  test(`full batches follow each other after ${pauseMs} ms, by a chance of ${random}, until one is not full`, async () => {
    const { clock, begun, total } = passOf(3, random);
    await clock.advance(10_000);
    assert.deepEqual(begun, [0, pauseMs, 2 * pauseMs]);
    assert.equal(await total, 30);
  });
}

test("a term that ends during a pause ends the pass at once", async () => {
  const { clock, tenure, begun, total } = passOf(3, 0.5);
  await clock.advance(100);
  tenure.finish("stopped");
  assert.equal(await total, null);
  assert.equal(clock.pending, 0);
  assert.deepEqual(begun, [0]);
});
