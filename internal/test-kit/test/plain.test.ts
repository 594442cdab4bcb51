import assert from "node:assert/strict";
import test from "node:test";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";

const row = (at: string): object => ({ id: 12n, at: Temporal.Instant.from(at), tags: ["a"], none: null });

test("what deepStrictEqual takes for equal becomes different text", () => {
  const [one, two] = [row("2026-01-01T00:00:00Z"), row("2026-01-01T00:00:00.000000001Z")];
  assert.deepStrictEqual(one, two);
  assert.notDeepStrictEqual(plain(one), plain(two));
  assert.deepStrictEqual(plain(one), { id: "12n", at: "2026-01-01T00:00:00Z", tags: ["a"], none: null });
});

test("durations, bytes, errors and instances of classes are compared by what they hold", () => {
  class Point {
    x = 1;
    hidden = undefined;
  }
  assert.deepStrictEqual(plain([Temporal.Duration.from({ seconds: 90 }), new Uint8Array([0, 255]), new Point()]), [
    "PT90S",
    "bytes 00ff",
    { x: 1, hidden: undefined },
  ]);
  assert.deepStrictEqual(plain(Object.assign(new TypeError("bad"), { code: "E" })), {
    name: "TypeError",
    message: "bad",
    code: "E",
  });
});

test("instants are the same to the nanosecond or not at all", () => {
  const instant = Temporal.Instant.from("2026-01-01T00:00:00Z");
  sameInstant(instant, "2026-01-01T01:00:00+01:00");
  assert.throws(() => sameInstant(instant, "2026-01-01T00:00:00.000000001Z"), assert.AssertionError);
  assert.throws(() => sameInstant("2026-01-01T00:00:00Z", instant), /is no Temporal\.Instant/);
});
