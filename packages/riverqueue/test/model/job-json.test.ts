import assert from "node:assert/strict";
import test from "node:test";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { jobFromJsonValue } from "../../src/model/job-from-json-value.ts";
import { jobRowOf, withDecodedArgs } from "../../src/model/job-row-view.ts";
import { jobToJsonValue, type JobRowJson } from "../../src/model/job-to-json-value.ts";
import { sampleRecord } from "./testdata/sample-record.ts";

const TEXT =
  '{"id":"7","kind":"resize","queue":"default","state":"running","priority":1,"attempt":2,"maxAttempts":25,' +
  '"args":{"path":"a.png","bytes":9007199254740993},"metadata":{"snoozes":1,"owner":{"id":1}},' +
  '"tags":["one","two"],"attemptedBy":["client"],' +
  '"errors":[{"at":"2024-05-01T12:34:56.123456789Z","attempt":1,"error":"boom","trace":""}],' +
  '"createdAt":"2024-05-01T12:00:00.123456Z","scheduledAt":"2024-05-01T12:30:00Z",' +
  '"attemptedAt":"2024-05-01T12:34:56.5Z","finalizedAt":null,' +
  '"uniqueKey":"//////////////////////////////////////////8=",' +
  '"uniqueStates":["available","completed","pending","retryable","running","scheduled"]}';

test("a job as JSON has ID, times and unique key as text and exact numbers", () => {
  const row = jobRowOf(sampleRecord());
  assert.equal(stringifyJson(jobToJsonValue(row)), TEXT);
  assert.equal(JSON.stringify(row), TEXT);
});

test("a decoded job as JSON has the persisted arguments", () => {
  const job = withDecodedArgs(jobRowOf(sampleRecord()), { path: new URL("file:///a.png") });
  assert.equal(stringifyJson(jobToJsonValue(job)), TEXT);
});

test("a job comes back from its JSON, directly and through text", () => {
  const rows = [
    jobRowOf(sampleRecord()),
    jobRowOf(
      sampleRecord({
        id: -(2n ** 63n),
        errors: "[]",
        attemptedAt: null,
        finalizedAt: Temporal.Instant.from("2024-05-01T12:34:57Z"),
        state: "completed",
        uniqueKey: null,
        uniqueStates: null,
        args: '{"__proto__":{"a":-0,"b":1.50,"n":[null,true,"é"]}}',
      }),
    ),
  ];
  for (const row of rows) {
    const json = jobToJsonValue(row);
    assert.equal(stringifyJson(jobToJsonValue(jobFromJsonValue(json))), stringifyJson(json));
    const parsed = jobFromJsonValue(parseJson(stringifyJson(json)));
    assert.equal(stringifyJson(jobToJsonValue(parsed)), stringifyJson(json));
  }
});

test("what comes back owes nothing to the JSON it came from", () => {
  const json = parseJson(TEXT) as JobRowJson;
  const row = jobFromJsonValue(json);
  Object.assign(json.args, { path: "changed" });
  assert.equal(row.args["path"], "a.png");
});

test("JSON that is no job is refused with the path of what is wrong", () => {
  const bad: [change: object, path: string][] = [
    [{ id: 7 }, "$.id"],
    [{ id: "9223372036854775808" }, "$.id"],
    [{ id: "0x7" }, "$.id"],
    [{ kind: null }, "$.kind"],
    [{ queue: 1 }, "$.queue"],
    [{ state: "done" }, "$.state"],
    [{ priority: 1.5 }, "$.priority"],
    [{ attempt: -1 }, "$.attempt"],
    [{ maxAttempts: "25" }, "$.maxAttempts"],
    [{ args: [] }, "$.args"],
    [{ args: { when: new Date() } }, "$.args.when"],
    [{ metadata: "{}" }, "$.metadata"],
    [{ tags: "one" }, "$.tags"],
    [{ tags: ["one", 2] }, "$.tags[1]"],
    [{ attemptedBy: null }, "$.attemptedBy"],
    [{ errors: {} }, "$.errors"],
    [{ errors: [{ at: "x", attempt: 1, error: "", trace: "" }] }, "$.errors[0].at"],
    [{ errors: [{ at: "2024-05-01T12:34:56Z", attempt: 1, error: "" }] }, "$.errors[0].trace"],
    [{ createdAt: "2024-05-01" }, "$.createdAt"],
    [{ scheduledAt: null }, "$.scheduledAt"],
    [{ attemptedAt: 0 }, "$.attemptedAt"],
    [{ finalizedAt: undefined }, "$.finalizedAt"],
    [{ uniqueKey: "abc" }, "$.uniqueKey"],
    [{ uniqueStates: ["done"] }, "$.uniqueStates[0]"],
    [{ color: "red" }, '$["color"]'],
  ];
  for (const [change, path] of bad) {
    const json = { ...(parseJson(TEXT) as JobRowJson), ...change };
    assert.throws(
      () => jobFromJsonValue(json),
      (error) => error instanceof JsonValueError && error instanceof ValidationError && error.path === path,
      path,
    );
  }
  for (const value of [null, [], "{}", 5]) assert.throws(() => jobFromJsonValue(value), ValidationError);
});

test("what is no job is refused with the path of what is wrong", () => {
  const job = { ...jobRowOf(sampleRecord()) };
  const bad: [value: unknown, path: string][] = [
    [undefined, "job"],
    [null, "job"],
    ["job", "job"],
    [{}, "job.kind"],
    [parseJson(TEXT), "job.createdAt"],
    [{ ...job, id: "7" }, "job.id"],
    [{ ...job, state: 1 }, "job.state"],
    [{ ...job, scheduledAt: new Date() }, "job.scheduledAt"],
    [{ ...job, errors: null }, "job.errors"],
  ];
  for (const [value, path] of bad) {
    assert.throws(
      () => jobToJsonValue(value as never),
      (error) => error instanceof ValidationError && error.message.startsWith(`${path}: expected `),
      path,
    );
  }
  assert.equal(stringifyJson(jobToJsonValue(job)), TEXT);
});
