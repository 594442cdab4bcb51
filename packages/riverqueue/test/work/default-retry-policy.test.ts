import assert from "node:assert/strict";
import test from "node:test";
import { defaultRetryDelayNs, defaultRetryTime } from "../../src/work/default-retry-policy.ts";

const CAP = 9_223_372_036_854_775_807n;
/** The largest value below 1 that `Math.random` gives. */
const ALMOST_ONE = 1 - 2 ** -53;

/** Number, errors stored, seconds before jitter, lowest and highest seconds with jitter. */
const VECTORS: readonly (readonly [string, number, number, number, number | "cap"])[] = [
  ["R1", 0, 1, 0.9, 1.1],
  ["R2", 1, 16, 14.4, 17.6],
  ["R3", 2, 81, 72.9, 89.1],
  ["R4", 3, 256, 230.4, 281.6],
  ["R5", 4, 625, 562.5, 687.5],
  ["R6", 5, 1296, 1166.4, 1425.6],
  ["R7", 6, 2401, 2160.9, 2641.1],
  ["R8", 7, 4096, 3686.4, 4505.6],
  ["R9", 8, 6561, 5904.9, 7217.1],
  ["R10", 9, 10_000, 9000, 11_000],
  ["R11", 14, 50_625, 45_562.5, 55_687.5],
  ["R12", 19, 160_000, 144_000, 176_000],
  ["R13", 23, 331_776, 298_598.4, 364_953.6],
  ["R14", 24, 390_625, 351_562.5, 429_687.5],
  ["R15", 99, 100_000_000, 90_000_000, 110_000_000],
  ["R16", 301, 8_318_169_616, 7_486_352_654.4, 9_149_986_577.6],
  ["R17", 302, 8_428_892_481, 7_586_003_232.9, "cap"],
  ["R18", 308, 9_116_621_361, 8_204_959_224.9, "cap"],
];

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= expected * 1e-9 + 1e-6, `${actual} is not ${expected}`);
}

for (const [id, errors, base, low, high] of VECTORS) {
  test(`${id}: after ${errors} errors the delay is ${base} s ±10 %`, () => {
    const seconds = (random: number): number => Number(defaultRetryDelayNs(errors, () => random)) / 1e9;
    near(seconds(0.5), base);
    near(seconds(0), low);
    if (high === "cap")
      assert.equal(
        defaultRetryDelayNs(errors, () => ALMOST_ONE),
        CAP,
      );
    else near(seconds(ALMOST_ONE), high);
  });
}

for (const [id, errors] of [
  ["R19", 309],
  ["R20", 999],
] as const) {
  test(`${id}: after ${errors} errors the delay is exactly 2^63-1 nanoseconds, without jitter`, () => {
    for (const random of [0, 0.5, ALMOST_ONE])
      assert.equal(
        defaultRetryDelayNs(errors, () => random),
        CAP,
      );
  });
}

test("the retry time is counted from now", () => {
  const now = Temporal.Instant.from("2026-01-01T00:00:00Z");
  assert.equal(defaultRetryTime(1, now, () => 0.5).toString(), "2026-01-01T00:00:16Z");
});
