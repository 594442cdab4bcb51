import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { LATENCY_BUCKETS, latencyBucketOf } from "../../src/fleet/latency-buckets.ts";
import { COUNT, COUNT_COLUMNS, MinuteCounts, type MinuteRow } from "../../src/fleet/minute-counts.ts";
import { fleetOnSqlite } from "./testdata/fleet-on-sqlite.ts";

failOnLeaks();

const MINUTE_MS = 60_000;

function makeCounts(): { clock: ManualClock; counts: MinuteCounts; startMs: number } {
  const clock = new ManualClock("2026-01-02T03:04:59.500Z");
  return { clock, counts: new MinuteCounts(clock), startMs: Date.UTC(2026, 0, 2, 3, 4) };
}

function brief(rows: readonly MinuteRow[]): unknown[] {
  return rows.map(({ minuteMs, queue, kind, counts }) => [minuteMs, queue, kind, counts.slice(0, 3)]);
}

test("things are counted by minute, queue and kind, and taken out once their minute is over", async () => {
  const { clock, counts, startMs } = makeCounts();
  counts.add("q", "a", COUNT.inserted);
  counts.add("q", "a", COUNT.inserted);
  counts.add("q", "b", COUNT.completed);
  counts.add("r", "a", COUNT.failed);
  assert.deepEqual(counts.take("over", 10), []);
  await clock.advance(500);
  counts.add("q", "a", COUNT.inserted);
  assert.deepEqual(brief(counts.take("over", 2)), [
    [startMs, "q", "a", [2, 0, 0]],
    [startMs, "q", "b", [0, 1, 0]],
  ]);
  assert.deepEqual(brief(counts.take("over", 2)), [[startMs, "r", "a", [0, 0, 1]]]);
  assert.deepEqual(counts.take("over", 2), []);
  assert.deepEqual(brief(counts.take("all", 2)), [[startMs + MINUTE_MS, "q", "a", [1, 0, 0]]]);
  assert.deepEqual(counts.take("all", 2), []);
});

test("counts that come back are added to what was counted meanwhile", () => {
  const { counts, startMs } = makeCounts();
  counts.add("q", "a", COUNT.completed);
  const taken = counts.take("all", 10);
  counts.add("q", "a", COUNT.completed);
  counts.add("q", "a", COUNT.failed);
  counts.giveBack(taken);
  assert.deepEqual(brief(counts.take("all", 10)), [[startMs, "q", "a", [0, 2, 1]]]);
});

test("at most 10,000 rows are kept, and what goes uncounted is told once", () => {
  const { counts } = makeCounts();
  for (let n = 0; n < 10_003; n++) counts.add("q", `kind ${n}`, COUNT.inserted);
  counts.add("q", "kind 0", COUNT.inserted);
  assert.equal(counts.takeLost(), 3);
  assert.equal(counts.takeLost(), 0);
  const taken = counts.take("all", 10_000);
  counts.add("q", "another", COUNT.inserted);
  counts.giveBack(taken);
  assert.equal(counts.takeLost(), 1);
  assert.equal(counts.take("all", 20_000).length, 10_000);
});

test("a wait goes into the first bucket that is long enough", () => {
  assert.deepEqual(
    [-5, 0, 10, 10.5, 50, 3_600_000, 3_600_001].map((ms) => LATENCY_BUCKETS[latencyBucketOf(ms)]?.column),
    ["latency_10ms", "latency_10ms", "latency_10ms", "latency_50ms", "latency_50ms", "latency_1h", "latency_more"],
  );
  const ends = LATENCY_BUCKETS.map(({ upToMs }) => upToMs ?? Infinity);
  assert.deepEqual(
    ends,
    ends.toSorted((a, b) => a - b),
  );
});

test("what is counted are the columns of the table", async (t) => {
  const { rows } = await fleetOnSqlite(t);
  const columns = rows("select name from pragma_table_info('river_fleet_minute')").map(({ name }) => name);
  assert.deepEqual(columns, ["minute", "queue", "kind", ...COUNT_COLUMNS]);
});
