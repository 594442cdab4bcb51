import assert from "node:assert/strict";
import test from "node:test";
import { inspect } from "node:util";
import { sameInstant } from "@riverqueue/internal-test-kit/plain";
import { jobRowOf, withDecodedArgs } from "../../src/model/job-row-view.ts";
import { sampleRecord } from "./testdata/sample-record.ts";

test("a row shows its record, JSON and unique states decoded", () => {
  const row = jobRowOf(sampleRecord());
  assert.equal(row.id, 7n);
  assert.equal(row.state, "running");
  assert.deepEqual(JSON.stringify(row.args), '{"path":"a.png","bytes":9007199254740993}');
  assert.equal(Object.getPrototypeOf(row.metadata), null);
  assert.deepEqual(row.uniqueStates, ["available", "completed", "pending", "retryable", "running", "scheduled"]);
  assert.equal(row.uniqueKey?.length, 32);
  assert.equal(row.finalizedAt, null);
  sameInstant(row.errors[0]?.at, "2024-05-01T12:34:56.123456789Z");
});

test("a row has plain fields of its own: it can be spread, listed and taken apart", () => {
  const row = jobRowOf(sampleRecord());
  const { args, ...rest } = row;
  assert.deepEqual(Object.keys(row), Object.keys({ ...row }));
  assert.equal(Object.keys(row).length, 18);
  assert.equal(args, row.args);
  assert.equal(rest.kind, "resize");
  assert.equal({ ...withDecodedArgs(row, 1) }.rawArgs, row.args);
});

test("a row cannot be changed", () => {
  const row = jobRowOf(sampleRecord());
  assert.throws(() => Object.assign(row, { state: "completed" }), TypeError);
  assert.throws(() => Object.assign(row.tags, { 0: "three" }), TypeError);
  assert.throws(() => Object.assign(row.errors, { length: 0 }), TypeError);
  assert.throws(() => Object.assign(row.errors[0] ?? {}, { error: "" }), TypeError);
});

test("an unreadable column breaks only what reads it", () => {
  const row = jobRowOf(sampleRecord({ args: "[1]", metadata: "nonsense" }));
  assert.equal(row.kind, "resize");
  assert.throws(() => row.args, { code: "validation" });
  assert.match(inspect(row), /args: '\(unreadable\)',\s+metadata: '\(unreadable\)'/);
});

test("written columns replace those of the record", () => {
  const row = jobRowOf(sampleRecord(), {
    state: "retryable",
    attempt: 1,
    scheduledAt: Temporal.Instant.from("2030-01-01T00:00:00Z"),
    finalizedAt: Temporal.Instant.from("2029-01-01T00:00:00Z"),
    metadata: '{"owner":2,"__proto__":3}',
    error: '{"at":"2025-01-01T00:00:00Z","attempt":2,"error":"again","trace":""}',
  });
  assert.equal(row.state, "retryable");
  assert.equal(row.attempt, 1);
  sameInstant(row.scheduledAt, "2030-01-01T00:00:00Z");
  sameInstant(row.finalizedAt, "2029-01-01T00:00:00Z");
  assert.equal(JSON.stringify(row.metadata), '{"snoozes":1,"owner":2,"__proto__":3}');
  assert.deepEqual(
    row.errors.map(({ error }) => error),
    ["boom", "again"],
  );
});

test("written columns that are null or absent leave the record's, but finalizedAt can be cleared", () => {
  const record = sampleRecord({ finalizedAt: Temporal.Instant.from("2029-01-01T00:00:00Z") });
  const kept = jobRowOf(record, { attempt: null, scheduledAt: null, metadata: null, error: null });
  assert.deepEqual(JSON.stringify(kept), JSON.stringify(jobRowOf(record)));
  assert.equal(jobRowOf(record, { finalizedAt: null }).finalizedAt, null);
});

test("a row with decoded arguments keeps the persisted ones", () => {
  const row = jobRowOf(sampleRecord());
  const args = { when: new Date(0) };
  const job = withDecodedArgs(row, args);
  assert.equal(job.args, args);
  assert.equal(job.rawArgs, row.args);
  assert.equal(job.metadata, row.metadata);
  assert.equal(job.attempt, 2);
  assert.equal(JSON.stringify(job), JSON.stringify(row));
  assert.match(inspect(job), /args: \{ when: 1970-01-01T00:00:00.000Z \},\s+rawArgs:/);
  assert.throws(() => Object.assign(job, { args: {} }), TypeError);
});

test("inspection shows values, times as text", () => {
  const text = inspect(jobRowOf(sampleRecord()));
  assert.match(text, /^JobRow \{/);
  assert.match(text, /id: 7n/);
  assert.match(text, /createdAt: '2024-05-01T12:00:00.123456Z'/);
  assert.match(text, /at: '2024-05-01T12:34:56.123456789Z'/);
  assert.equal(inspect({ a: { b: jobRowOf(sampleRecord()) } }, { depth: 0 }), "{ a: [Object] }");
  assert.equal(inspect({ job: jobRowOf(sampleRecord()) }, { depth: 0 }), "{ job: [JobRow] }");
});
