/** Durations as options take them. */
import assert from "node:assert/strict";
import test from "node:test";
import { assert as check, nat, property } from "fast-check";
import { type DurationBounds, durationToMs, readDuration, toDuration } from "../../src/options/duration-input.ts";
import { OptionProblems } from "../../src/options/option-problems.ts";

test("JS-100 durations and duration-like objects are accepted, a day being 24 hours", () => {
  assert.equal(durationToMs({ seconds: 5 }), 5_000);
  assert.equal(durationToMs(Temporal.Duration.from({ minutes: 1, milliseconds: 1 })), 60_001);
  assert.equal(durationToMs({ days: 2 }), 172_800_000);
  assert.equal(durationToMs({ microseconds: 1_500 }), 1.5);
  assert.equal(durationToMs({ seconds: -1 }), -1_000);
  assert.equal(toDuration({ hours: 1 })?.toString(), "PT1H");
});

test("JS-100 calendar units and everything else are refused", () => {
  const none = [5_000, "PT5S", null, undefined, {}, [], { weeks: 1 }, { months: 1 }, { years: 1 }, { seconds: 1.5 }];
  const noNumbers = [null, "", "5", true, [], 1n].map((seconds) => ({ seconds }));
  for (const value of [...none, ...noNumbers, { seconds: Infinity }, { second: 5 }, { seconds: 1, minutes: -1 }]) {
    assert.equal(durationToMs(value), null);
  }
});

test("a bound says what it asks for, and the fallback stands in", () => {
  assert.deepEqual(read(undefined, { minMs: 1 }), [7, ""]);
  assert.deepEqual(read({ seconds: 0 }), [0, ""]);
  assert.deepEqual(read({ seconds: -1 }), [7, "wait must not be negative"]);
  assert.deepEqual(read({ microseconds: 999 }, { minMs: 1 }), [7, "wait must be at least 1 ms"]);
  assert.deepEqual(read({ seconds: 2 }, { maxMs: 1_999 }), [7, "wait must be at most 1999 ms"]);
  assert.match(read(5)[1], /^wait must be a duration of days or smaller units/);
});

test("JS-100 milliseconds survive the reading whatever units they are spread over", () => {
  check(
    property(nat(10_000), nat(100), nat(100), (milliseconds, seconds, hours) => {
      assert.equal(durationToMs({ milliseconds, seconds, hours }), milliseconds + 1_000 * seconds + 3_600_000 * hours);
    }),
  );
});

function messageOf(problems: OptionProblems): string {
  try {
    problems.throwValidation();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function read(value: unknown, bounds?: DurationBounds): [number, string] {
  const problems = new OptionProblems();
  const ms = readDuration(problems, value, "wait", 7, bounds);
  return [ms, messageOf(problems)];
}
