import assert from "node:assert/strict";
import test from "node:test";
import { exactJsonNumber } from "../../src/json/exact-json-number.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { StagedMetadata } from "../../src/work/staged-metadata.ts";

test("the last value of a key counts, numbers stay exact and text is encoded as River for Go does", () => {
  const staged = new StagedMetadata();
  assert.equal(staged.text(), null);
  staged.set("a", 1);
  staged.set("a", { "<b>": exactJsonNumber("9007199254740993") });
  staged.setOutput(["x"]);
  assert.equal(staged.text(), '{"a":{"\\u003cb\\u003e":9007199254740993},"output":["x"]}');
  assert.equal(staged.text({ snoozes: 2, a: null }), '{"a":null,"output":["x"],"snoozes":2}');
  assert.equal(JSON.stringify(staged.output()), '["x"]');
  assert.equal(JSON.stringify(staged.metadata()), '{"a":{"<b>":9007199254740993}}');
});

test("keys that start with river: are reserved, and keys must be storable text", () => {
  const staged = new StagedMetadata();
  assert.throws(() => staged.set("river:x", 1), { name: "ValidationError", message: /must not start with river:/ });
  for (const key of [1, null, "a\0b", "\ud800"]) assert.throws(() => staged.set(key as string, 1), ValidationError);
  staged.set("__proto__", 1);
  assert.equal(staged.text(), '{"__proto__":1}');
});

test("JS-112: output and each metadata value are refused beyond 32 MiB of JSON, at the call", () => {
  const staged = new StagedMetadata();
  // Two quotes make up the rest of 33,554,432 bytes.
  const largest = "x".repeat(33_554_430);
  staged.setOutput(largest);
  staged.set("k", largest);
  assert.throws(() => staged.setOutput(`${largest}x`), {
    name: "JsonValueError",
    message: "job output must not exceed 32 MiB",
  });
  assert.throws(
    () => staged.set("k", `${largest}x`),
    (error) => error instanceof ValidationError && /32 MiB/.test(error.message),
  );
  assert.throws(() => staged.setOutput("é".repeat(16_777_216)), { message: "job output must not exceed 32 MiB" });
  assert.equal(staged.output(), largest);
});

test("what one attempt records is bounded as a whole, and a value that is replaced does not count", () => {
  const staged = new StagedMetadata(10);
  staged.set("a", "123456");
  staged.set("a", "654321");
  assert.throws(() => staged.setOutput("1"), {
    name: "ValidationError",
    message: /must not exceed 10 characters in all/,
  });
  staged.setOutput(12);
  assert.equal(staged.text(), '{"a":"654321","output":12}');
});

test("an attempt records 268,435,455 characters in all", () => {
  const staged = new StagedMetadata();
  const largest = "x".repeat(33_554_430);
  for (let count = 0; count < 7; count++) staged.set(`k${count}`, largest);
  assert.throws(() => staged.setOutput(largest), { message: /must not exceed 268435455 characters in all/ });
  staged.setOutput(largest.slice(1));
});

test("a refused value leaves what was staged before", () => {
  const staged = new StagedMetadata();
  staged.set("k", 1);
  assert.throws(() => staged.set("k", Number.NaN));
  assert.equal(staged.text(), '{"k":1}');
});
