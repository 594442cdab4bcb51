/** Ringing when jobs of the near future fall due. */
import assert from "node:assert/strict";
import test from "node:test";
import { assert as check, array, integer, asyncProperty } from "fast-check";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { DueAlarm } from "../../src/runtime/due-alarm.ts";
import { jitteredPollInterval } from "../../src/runtime/poll-interval.ts";

test("JS-49 the alarm rings at every time or within 40 ms of it, never before, with one timer at a time", async () => {
  await check(
    asyncProperty(array(integer({ min: -100, max: 2_000 }), { minLength: 1, maxLength: 20 }), async (delays) => {
      const clock = new ManualClock();
      const rings: number[] = [];
      const alarm = new DueAlarm(clock, () => void rings.push(clock.monotonic()));
      for (const ms of delays) alarm.set(clock.now().add({ milliseconds: ms }));
      assert.ok(clock.pending <= 1);
      await clock.advance(3_000);
      assert.equal(clock.pending, 0);
      for (const ms of delays) {
        assert.ok(
          rings.some((at) => at >= ms && at <= Math.max(ms, 0) + 40),
          `${ms} in ${rings.join()}`,
        );
      }
      assert.ok(rings.length <= new Set(delays).size);
    }),
    { numRuns: 50 },
  );
});

test("a cancelled alarm rings no more", async () => {
  const clock = new ManualClock();
  let rings = 0;
  const alarm = new DueAlarm(clock, () => rings++);
  alarm.set(clock.now().add({ seconds: 1 }));
  alarm.cancel();
  assert.equal(clock.pending, 0);
  await clock.advance(2_000);
  assert.equal(rings, 0);
});

test("JS-20 the extra wait of a poll is below a tenth of the interval, out of at least 10 ms", () => {
  assert.equal(
    jitteredPollInterval(1_000, () => 0),
    1_000,
  );
  assert.equal(
    jitteredPollInterval(1_000, () => 0.5),
    1_050,
  );
  assert.equal(
    jitteredPollInterval(50, () => 0.5),
    55,
  );
  assert.ok(jitteredPollInterval(10_000, () => 0.999_999) < 11_000);
});
