/** Delays after failures in a row. */
import assert from "node:assert/strict";
import test from "node:test";
import { assert as check, double, integer, property } from "fast-check";
import { BACKGROUND_BACKOFF, backoffMs } from "../../src/kit/backoff.ts";

const chance = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("JS-67 background work backs off from 250 ms, doubling, to 30 s, each varied by a tenth either way", () => {
  const middle = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000].map((failures) =>
    backoffMs(BACKGROUND_BACKOFF, failures, () => 0.5),
  );
  assert.deepEqual(middle, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  check(
    property(integer({ min: 1, max: 100_000 }), chance, (failures, random) => {
      const usual = Math.min(30_000, 250 * 2 ** Math.min(failures - 1, 60));
      const delay = backoffMs(BACKGROUND_BACKOFF, failures, () => random);
      assert.ok(delay >= usual * 0.9 - 1e-6 && delay <= usual * 1.1 + 1e-6);
    }),
  );
});

test("JS-67 the jitter is applied after the cap: 27 s to 33 s", () => {
  assert.equal(Math.round(backoffMs(BACKGROUND_BACKOFF, 50, () => 0)), 27_000);
  assert.ok(backoffMs(BACKGROUND_BACKOFF, 50, () => 1 - Number.EPSILON) > 32_999);
});
