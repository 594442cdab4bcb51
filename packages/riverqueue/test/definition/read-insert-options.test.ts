import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { compareBytes } from "../../src/definition/byte-order.ts";
import { InsertFaults } from "../../src/definition/insert-faults.ts";
import { readInsertOptions } from "../../src/definition/read-insert-options.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";

function read(options: unknown) {
  const faults = new InsertFaults();
  const normalized = readInsertOptions(faults, options, "");
  faults.throwValidation();
  return normalized;
}

const queueExpectation =
  "must be 1 to 64 characters, lower-case letters and digits in groups separated by a single _, - or |";
const tagExpectation = "must be 3 to 255 characters: letters, digits, _ and, inside, -";

for (const [what, options, message] of [
  ["options that are no object", null, "options must be an object"],
  ["options of a class", new Map(), "options must be an object"],
  ["a misspelt key", { prioritty: 1 }, "prioritty is not an option; did you mean priority?"],
  ["a key with a unit", { delayMs: 5 }, "delayMs is not an option; use delay with a duration such as { seconds: 5 }"],
  ["an empty queue", { queue: "" }, `queue ${queueExpectation}`],
  ["a queue of another type", { queue: 7 }, `queue ${queueExpectation}`],
  ["a queue in capitals", { queue: "Mail" }, `queue ${queueExpectation}`],
  ["a queue with a doubled separator", { queue: "a__b" }, `queue ${queueExpectation}`],
  ["a queue with a final separator", { queue: "a-" }, `queue ${queueExpectation}`],
  ["a queue with a final line feed", { queue: "a\n" }, `queue ${queueExpectation}`],
  ["a queue of 65 characters", { queue: "a".repeat(65) }, `queue ${queueExpectation}`],
  ["priority 0", { priority: 0 }, "priority must be an integer from 1 to 4"],
  ["priority 5", { priority: 5 }, "priority must be an integer from 1 to 4"],
  ["priority 1.5", { priority: 1.5 }, "priority must be an integer from 1 to 4"],
  ["priority as text", { priority: "1" }, "priority must be an integer from 1 to 4"],
  ["no attempts", { maxAttempts: 0 }, "maxAttempts must be an integer from 1 to 32767"],
  ["too many attempts", { maxAttempts: 32_768 }, "maxAttempts must be an integer from 1 to 32767"],
  ["a time as text", { scheduledAt: "2026-01-01T00:00:00Z" }, "scheduledAt must be a Temporal.Instant or a valid Date"],
  ["an invalid date", { scheduledAt: new Date(Number.NaN) }, "scheduledAt must be a Temporal.Instant or a valid Date"],
  [
    "a time after year 9999",
    { scheduledAt: new Date(253_402_300_800_000) },
    "scheduledAt must lie in the years 1 to 9999",
  ],
  [
    "a time in the last millisecond of year 9999",
    { scheduledAt: new Date(253_402_300_799_999) },
    "scheduledAt must lie in the years 1 to 9999",
  ],
  [
    "a time before year 1",
    { scheduledAt: new Date(-62_135_596_800_001) },
    "scheduledAt must lie in the years 1 to 9999",
  ],
  [
    "time and delay",
    { scheduledAt: new Date(0), delay: { seconds: 1 } },
    "delay cannot be given together with scheduledAt",
  ],
  ["a delay as number", { delay: 5 }, "delay must be a duration of days or smaller units, such as { seconds: 5 }"],
  [
    "a delay in weeks",
    { delay: { weeks: 1 } },
    "delay must be a duration of days or smaller units, such as { seconds: 5 }",
  ],
  ["a negative delay", { delay: { seconds: -1 } }, "delay must not be negative"],
  ["tags as text", { tags: "one" }, "tags must be a list of strings"],
  ["a tag of another type", { tags: ["one", 2] }, "tags[1] must be a string"],
  ["a tag of two characters", { tags: ["ab"] }, `tags[0] ${tagExpectation}`],
  ["a tag with a comma", { tags: ["one,two"] }, `tags[0] ${tagExpectation}`],
  ["a tag that ends in a hyphen", { tags: ["one-"] }, `tags[0] ${tagExpectation}`],
  ["a tag of 256 characters", { tags: ["a".repeat(256)] }, `tags[0] ${tagExpectation}`],
  ["pending as number", { pending: 1 }, "pending must be true or false"],
  ["an unknown durability", { durability: "fast" }, 'durability must be "default" or "relaxed"'],
  ["unique as flag", { unique: true }, "unique must be an object"],
  ["a misspelt unique key", { unique: { byArg: true } }, "unique.byArg is not an option; did you mean byArgs?"],
  ["byArgs as text", { unique: { byArgs: "a" } }, "unique.byArgs must be true, or a list of at least one path"],
  ["byArgs without paths", { unique: { byArgs: [] } }, "unique.byArgs must be true, or a list of at least one path"],
  [
    "a path of another type",
    { unique: { byArgs: [1] } },
    "unique.byArgs must be true, or a list of paths, each a string",
  ],
  ["a number in a path", { unique: { byArgs: ["a.1"] } }, 'unique.byArgs: path "a.1": segment "1" cannot be used'],
  ["-1 in a path", { unique: { byArgs: ["a.-1"] } }, 'unique.byArgs: path "a.-1": segment "-1" cannot be used'],
  ["an empty segment", { unique: { byArgs: ["a..b"] } }, 'unique.byArgs: path "a..b": segment "" cannot be used'],
  [
    "a path that ends in a backslash",
    { unique: { byArgs: ["a\\"] } },
    'unique.byArgs: path "a\\": segment "" cannot be used',
  ],
  [
    "byPeriod as number",
    { unique: { byPeriod: 60 } },
    "unique.byPeriod must be a duration of days or smaller units, such as { minutes: 15 }",
  ],
  [
    "byPeriod below a second",
    { unique: { byPeriod: { milliseconds: 999 } } },
    "unique.byPeriod should not be less than 1 second",
  ],
  ["byQueue as text", { unique: { byQueue: "yes" } }, "unique.byQueue must be true or false"],
  ["byState as text", { unique: { byState: "available" } }, "unique.byState must be a list of job states"],
  ["excludeKind as text", { unique: { excludeKind: "yes" } }, "unique.excludeKind must be true or false"],
  [
    "excludeKind alone",
    { unique: { excludeKind: true } },
    "unique.excludeKind needs byArgs, byPeriod, byQueue or byState beside it",
  ],
] as const) {
  test(`refuses ${what}`, () => {
    assert.throws(() => read(options), { name: "ValidationError", message });
  });
}

test("C02 NUL, lone surrogates and cycles in metadata and tags are JSON errors with a path", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (const [options, path] of [
    [{ metadata: { s: "a\0b" } }, "$.s"],
    [{ metadata: { s: "\ud800" } }, "$.s"],
    [{ metadata: { "a\0": 1 } }, '$["a\\u0000"]'],
    [{ metadata: circular }, "$.self"],
    [{ metadata: [] }, "$"],
    [{ metadata: { at: new Date(0) } }, "$.at"],
    [{ tags: ["a\0b"] }, "$"],
    [{ tags: ["ab\ud800"] }, "$"],
  ] as const) {
    assert.throws(
      () => read(options),
      (error) => {
        assert(error instanceof JsonValueError);
        assert.equal(error.path, path);
        assert.match(error.message, /^(?:metadata|tags\[0\]) at /);
        return true;
      },
    );
  }
});

test("everything wrong is in one error", () => {
  assert.throws(
    () => read({ queue: "", priority: 9, metadata: { s: "\0" } }),
    (error) => {
      assert(error instanceof ValidationError && !(error instanceof JsonValueError));
      const problems = error.details["problems"] as { path: string }[];
      assert.deepEqual(
        problems.map(({ path }) => path),
        ["queue", "priority", "metadata"],
      );
      return true;
    },
  );
});

test("a queue name cannot make the check slow", () => {
  const longest = `${"a".repeat(63)}!`;
  assert.throws(() => read({ queue: longest }), ValidationError);
  assert.equal(read({ queue: "a|b-c_d" }).queue, "a|b-c_d");
});

test("normalized options are frozen copies", () => {
  const tags = ["one-tag"];
  const metadata = { a: { b: 1 } };
  const normalized = read({ tags, metadata, scheduledAt: new Date(1) });
  tags.push("changed");
  metadata.a.b = 2;
  assert.deepEqual(normalized.tags, ["one-tag"]);
  assert.equal(JSON.stringify(normalized.metadata), '{"a":{"b":1}}');
  assert.equal(normalized.scheduledAt?.toString(), "1970-01-01T00:00:00.001Z");
  assert(Object.isFrozen(normalized) && Object.isFrozen(normalized.tags));
});

test("strings are ordered by their UTF-8 bytes", () => {
  const text = fc.string({ unit: "binary" }).filter((each) => each.isWellFormed());
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});
