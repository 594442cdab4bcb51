/** Text that Postgres writes and reads. */
import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseOperationError } from "riverqueue/driver";
import { quoteLiteral } from "../src/connection/dialect.ts";
import { isRowCaused, isUniqueKeyConflict, translateFailure } from "../src/connection/pg-failure.ts";
import { formatArray, parseArray } from "../src/record/pg-array.ts";
import { formatTime, parseTime } from "../src/record/pg-time.ts";

test("arrays come out as they went in", () => {
  for (const values of [[], ["a"], ["", "NULL", "null", null], ['"', "\\", "{}", ",", " a "], ["\n", "é😀", 'a\\"b']]) {
    assert.deepEqual(parseArray(formatArray(values)), values);
  }
  assert.deepEqual(parseArray('{a,NULL,"NULL",b c}'), ["a", null, "NULL", "b c"]);
  assert.deepEqual(parseArray("[2:3]={a,b}"), ["a", "b"]);
  for (const text of ["", "a", "{", "{a", "{{a}}", '{"a}', "{a}b", '{"a"b}', "[1:1]"])
    assert.equal(parseArray(text), null);
});

test("times are read to the microsecond in any zone, and written in UTC", () => {
  const forms = [
    ["2026-08-07 19:32:57+00", "2026-08-07T19:32:57Z"],
    ["2026-08-07 19:32:57.123456+00", "2026-08-07T19:32:57.123456Z"],
    ["2026-08-08 01:17:57.1+05:45", "2026-08-07T19:32:57.1Z"],
    ["1883-11-18 12:03:58-04:56:02", "1883-11-18T17:00:00Z"],
    ["0001-12-31 00:00:00+00 BC", "0000-12-31T00:00:00Z"],
  ] as const;
  for (const [text, expected] of forms) assert.equal(parseTime(text)?.toString(), expected);
  for (const text of ["", "infinity", "07/08/2026 19:32:57 UTC", "2026-13-07 19:32:57+00"])
    assert.equal(parseTime(text), null);
  assert.equal(formatTime(Temporal.Instant.from("2026-08-07T21:32:57.123456999+02:00")), "2026-08-07T19:32:57.123456Z");
  assert.equal(formatTime(Temporal.Instant.from("-000043-03-15T12:00:00Z")), "0044-03-15T12:00:00Z BC");
});

test("literals hold whatever is in them", () => {
  assert.equal(quoteLiteral("it's"), "'it''s'");
  assert.equal(quoteLiteral("a\\'b"), " E'a\\\\''b'");
});

const failures = [
  ["08006", true, false],
  ["22P02", false, true],
  ["23505", false, true],
  ["25006", true, false],
  ["25P02", false, false],
  ["25P03", true, false],
  ["25P04", true, false],
  ["28000", true, false],
  ["28P01", true, false],
  ["40001", true, false],
  ["40P01", true, false],
  ["42P01", false, false],
  ["53100", true, false],
  ["53200", true, false],
  ["53300", true, false],
  ["54000", false, true],
  ["55P03", true, false],
  ["57014", true, false],
  ["57P01", true, false],
  ["57P02", true, false],
  ["57P03", true, false],
  ["57P05", true, false],
  ["58030", true, false],
  ["XX000", false, false],
] as const;
for (const [code, retryable, rowCaused] of failures) {
  test(`SQLSTATE ${code}: ${retryable ? "may be retried" : "is final"}${rowCaused ? ", caused by one row" : ""}`, () => {
    const thrown = Object.assign(new Error('INSERT … VALUES ("secret")'), {
      code,
      detail: "secret",
      table: "river_job",
    });
    for (const error of [thrown, new Error("adapter", { cause: thrown })]) {
      const translated = translateFailure(error, "jobs.insert");
      assert.ok(translated instanceof DatabaseOperationError);
      assert.deepEqual([translated.retryable, isRowCaused(translated)], [retryable, rowCaused]);
      assert.equal(translated.details["sqlstate"], code);
      assert.equal(translated.message.includes(code), true);
      assert.doesNotMatch(`${translated.message} ${JSON.stringify(translated.cause)} ${translated.stack}`, /secret/);
      assert.equal(isUniqueKeyConflict(translated), code === "23505");
    }
  });
}

test("errors without a SQLSTATE are those of the connection", () => {
  for (const error of [
    Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" }),
    Object.assign(new Error("write EPIPE"), { code: "EPIPE" }),
    new Error("Connection terminated unexpectedly"),
    "text",
    null,
  ]) {
    const translated = translateFailure(error, "jobs.claim");
    assert.deepEqual([translated.retryable, translated.details["reason"]], [true, "connection"]);
    assert.doesNotMatch(translated.message, /127/);
  }
  const ended = translateFailure(new Error("Cannot use a pool after calling end on the pool"), "jobs.claim");
  assert.deepEqual([ended.retryable, ended.details["reason"]], [false, "closed"]);
});
