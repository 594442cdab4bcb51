import assert from "node:assert/strict";
import test from "node:test";
import { formatGoDuration, parseGoDuration } from "../src/arguments/go-duration.ts";

test("durations are read as Go reads them", () => {
  const valid: [string, number][] = [
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["2.ms", 2],
    ["1h0m1s500ms", 3_601_500],
    ["1500us", 1.5],
    ["1500µs", 1.5],
    ["1500μs", 1.5],
    ["2000001ns", 2.000001],
    ["0", 0],
  ];
  for (const [text, ms] of valid) assert.equal(parseGoDuration(text), ms, text);
  for (const text of ["", "10", "s", ".s", "1.2.3s", "1d", "10 s", " 10s", "-1s", "10s!", "1e3s", "10S"]) {
    assert.equal(parseGoDuration(text), null, text);
  }
});

test("durations are written as Go writes them, cut to 10 ms, 10 µs and 10 ns", () => {
  const written: [Temporal.DurationLike, string][] = [
    [{ nanoseconds: 0 }, "0s"],
    [{ nanoseconds: 9 }, "0s"],
    [{ nanoseconds: 999 }, "990ns"],
    [{ microseconds: 39, nanoseconds: 487 }, "39.48µs"],
    [{ microseconds: 999, nanoseconds: 999 }, "999.99µs"],
    [{ milliseconds: 1 }, "1ms"],
    [{ milliseconds: 3, microseconds: 489 }, "3.48ms"],
    [{ milliseconds: 999, microseconds: 999 }, "999.99ms"],
    [{ seconds: 1 }, "1s"],
    [{ milliseconds: 1_239 }, "1.23s"],
    [{ seconds: 59, milliseconds: 999 }, "59.99s"],
    [{ minutes: 1, milliseconds: 2_359 }, "1m2.35s"],
    [{ hours: 25, seconds: 3 }, "25h0m3s"],
  ];
  for (const [duration, text] of written) assert.equal(formatGoDuration(Temporal.Duration.from(duration)), text);
});
