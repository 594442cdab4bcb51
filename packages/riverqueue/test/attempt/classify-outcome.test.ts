import assert from "node:assert/strict";
import test from "node:test";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import type { AbortCause, AttemptAbort } from "../../src/runtime/attempt-abort.ts";
import type { AttemptResult } from "../../src/runtime/attempt-verdict.ts";
import { classifyOutcome } from "../../src/runtime/classify-outcome.ts";
import { snooze } from "../../src/work/outcome.ts";
import { claimed, CLIENT_ID } from "./testdata/attempt-harness.ts";
import { FAILURE_TABLES } from "./testdata/failure-tables.ts";
import { genuine, returned, threw } from "./testdata/truth-table-row.ts";
import { classify, NOW, STARTED, TRUTH_TABLES } from "./testdata/truth-tables.ts";

for (const row of [...TRUTH_TABLES, ...FAILURE_TABLES]) {
  test(row.title, () => {
    const {
      attempt = 3,
      after = attempt,
      error,
      event,
      reported = false,
      scheduledIn = null,
      state,
      trace = false,
    } = row;
    const { settlement, eventKind, reported: wasReported } = classify(row.result, row);
    assert.equal(settlement.state, state);
    assert.equal(settlement.newAttempt ?? settlement.attempt, after);
    assert.equal(settlement.attempt, attempt);
    assert.equal(eventKind, event);
    assert.equal(wasReported, reported);
    const entry = settlement.error === null ? null : JSON.parse(settlement.error);
    assert.equal(entry?.error ?? null, error);
    if (entry !== null) assert.equal(entry.trace !== "", trace);
    const finalized = ["cancelled", "completed", "discarded"].includes(state);
    assert.equal(settlement.finalizedAt?.toString() ?? null, finalized ? NOW.toString() : null);
    const milliseconds = scheduledIn === null ? null : scheduledIn * 1_000;
    assert.equal(
      settlement.scheduledAt?.toString() ?? null,
      milliseconds === null ? null : NOW.add({ milliseconds }).toString(),
    );
    assert.equal(settlement.clientId, CLIENT_ID);
    assert.equal(settlement.deleteRow, false);
  });
}

test("JS-46: an error entry has the attempt's number and start, and its keys in the shared order", () => {
  const { settlement } = classify(genuine);
  assert.equal(settlement.error, '{"at":"2026-01-02T03:04:05.678Z","attempt":3,"error":"boom","trace":""}');
});

test("JS-45: message and trace are cut to 32,768 characters, and an entry is written as River for Go writes it", () => {
  const long = new TypeError("x".repeat(40_000));
  const entry = JSON.parse(classify(() => threw(long)).settlement.error ?? "");
  assert.equal(entry.error.length, 32_768);
  assert.equal(entry.trace.length, 32_768);
  assert.match(
    classify(() => threw("<a> & \u2028")).settlement.error ?? "",
    /"error":"\\u003ca\\u003e \\u0026 \\u2028"/,
  );
});

test("JS-48: a subclass of a fault class records no stack", () => {
  class Mine extends TypeError {}
  assert.equal(JSON.parse(classify(() => threw(new Mine("m"))).settlement.error ?? "").trace, "");
});

test("C12: a snooze counts up from the claimed row, whatever type the count has there", () => {
  const counted: readonly (readonly [string, number])[] = [
    ["{}", 1],
    ['{"snoozes":4}', 5],
    ['{"snoozes":true}', 2],
    ['{"snoozes":"12"}', 13],
    ['{"snoozes":null}', 1],
    ['{"snoozes":[7]}', 1],
    ['{"snoozes":2.9}', 3],
    ['{"snoozes":9007199254740993}', 1],
    ["no json", 1],
  ];
  for (const [metadata, snoozes] of counted) {
    const { settlement } = classify(() => returned(snooze({ seconds: 0 })), { metadata });
    assert.equal(settlement.metadata, `{"snoozes":${snoozes}}`);
  }
});

test("C16 D: an error whose causes lead to the reason of the abort counts as stopped by it", () => {
  const causes: readonly AbortCause[] = ["shutdown"];
  const state = (result: (aborts: AttemptAbort) => AttemptResult): string => classify(result, { causes }).eventKind;
  assert.equal(
    state((aborts) => threw(new Error("x", { cause: aborts.reason }))),
    "job_interrupted",
  );
  assert.equal(
    state((aborts) => threw(new Error("x", { cause: new Error("y", { cause: aborts.reason }) }))),
    "job_interrupted",
  );
  assert.equal(
    state(() => threw(new DOMException("stopped", "AbortError"))),
    "job_interrupted",
  );
  assert.equal(
    state(() => threw(new DOMException("late", "TimeoutError"))),
    "job_failed",
  );
  assert.equal(
    state((aborts) => threw(new AggregateError([aborts.reason]))),
    "job_failed",
  );
  assert.equal(
    state(() => threw(new LifecycleError("the client is stopping"))),
    "job_failed",
  );
  const circular = new Error("circular");
  circular.cause = circular;
  assert.equal(
    state(() => threw(circular)),
    "job_failed",
  );
});

test("A.1: an error named AbortError without an abort is an error like any other", () => {
  const { settlement, reported } = classify(() => threw(new DOMException("stopped", "AbortError")));
  assert.equal(settlement.state, "retryable");
  assert.ok(reported);
});

test("the row of a completed job is deleted only when it would be stored as completed", () => {
  const input = {
    record: claimed(),
    clientId: CLIENT_ID,
    startedAt: STARTED,
    handlerCancels: false,
    retryTime: () => NOW,
    now: NOW,
    staged: null,
    nearFutureMs: 5_000,
    errorStacks: "faults",
    deleteOnComplete: true,
  } as const;
  assert.ok(classifyOutcome({ ...input, verdict: { type: "completed" } }).settlement.deleteRow);
  for (const verdict of [{ type: "interrupted" }, { type: "discarded", reason: undefined }] as const) {
    assert.equal(classifyOutcome({ ...input, verdict }).settlement.deleteRow, false);
  }
});
