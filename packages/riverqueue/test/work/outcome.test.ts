import assert from "node:assert/strict";
import test from "node:test";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { cancel, complete, discard, isWorkOutcome, snooze } from "../../src/work/outcome.ts";

test("JS-107: the four functions build outcomes that look like plain frozen objects", () => {
  assert.deepStrictEqual(complete(), { type: "complete" });
  assert.deepStrictEqual(complete({ output: { n: 1 } }).output, Object.assign(Object.create(null), { n: 1 }));
  assert.deepStrictEqual(discard(), { type: "discard" });
  assert.deepStrictEqual(discard({ reason: "spam" }), { type: "discard", reason: "spam" });
  assert.deepStrictEqual(cancel({ reason: "gone" }), { type: "cancel", reason: "gone" });
  assert.equal(snooze({ seconds: 90 }).duration.total({ unit: "seconds" }), 90);
  for (const outcome of [complete(), snooze({ seconds: 0 }), discard(), cancel()]) {
    assert.ok(Object.isFrozen(outcome));
    assert.ok(isWorkOutcome(outcome));
  }
});

test("an outcome is known by what built it, not by its shape", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const value of [
    { type: "complete" },
    { type: "cancel", reason: "x" },
    null,
    undefined,
    1,
    "complete",
    [],
    proxy,
  ]) {
    assert.equal(isWorkOutcome(value), false);
  }
});

test("the output of a complete outcome is checked and copied when it is built", () => {
  const output = { list: [1] };
  const outcome = complete({ output });
  output.list.push(2);
  assert.equal(JSON.stringify(outcome.output), '{"list":[1]}');
  assert.throws(() => complete({ output: new Date() as never }), JsonValueError);
  assert.throws(() => complete({ output: "x".repeat(33_554_432) }), { message: "job output must not exceed 32 MiB" });
});

function refusalOf(duration: unknown): unknown {
  try {
    return snooze(duration as never);
  } catch (error) {
    assert.ok(error instanceof ValidationError);
    return error.message;
  }
}

test("a snooze must be a fixed length of time, not negative and at most 2^63-1 nanoseconds", () => {
  assert.match(String(refusalOf({ seconds: -1 })), /must not be negative/);
  assert.match(String(refusalOf({ months: 1 })), /days or smaller units/);
  assert.match(String(refusalOf(5)), /days or smaller units/);
  assert.match(String(refusalOf({ days: 106_752 })), /at most 2\^63-1 nanoseconds/);
  assert.match(String(refusalOf({ milliseconds: 9_223_372_036_855 })), /at most 2\^63-1 nanoseconds/);
  assert.equal(snooze({ milliseconds: 9_223_372_036_854 }).type, "snooze");
});

test("reasons are texts, and unknown options are refused by name", () => {
  assert.throws(() => cancel({ reason: 1 as never }), {
    name: "ValidationError",
    message: "cancel options.reason must be a string",
  });
  assert.throws(() => discard({ reasons: "x" } as never), {
    name: "ValidationError",
    message: "discard options.reasons is not an option; did you mean reason?",
  });
  assert.deepStrictEqual(cancel({ reason: "" }), { type: "cancel" });
});
