/** What hooks after the handler see, and what becomes of the results they return. */
import assert from "node:assert/strict";
import test from "node:test";
import { cancel, complete, snooze } from "../../src/work/outcome.ts";
import type { WorkAttemptResult } from "../../src/work/work-result.ts";
import { AttemptHarness, metadataOf, summaryOf } from "./testdata/attempt-harness.ts";

type AfterWork = (context: unknown, result: WorkAttemptResult) => unknown;

/** A harness whose client has these afterWork hooks, one a plugin. */
function withHooks(...hooks: readonly AfterWork[]): AttemptHarness {
  const plugins = hooks.map((afterWork, index) => ({ name: `p${index}`, hooks: { afterWork: afterWork as never } }));
  return new AttemptHarness({ plugins });
}

test("each hook sees the result of the one before, with what was recorded so far", async () => {
  const seen: unknown[] = [];
  const look: AfterWork = (_context, result) => void seen.push(JSON.parse(JSON.stringify(result)));
  const harness = withHooks(look, () => ({ status: "succeeded", outcome: cancel({ reason: "hook" }) }), look);
  harness.handle(({ recordOutput, setMetadata }) => {
    recordOutput(1);
    setMetadata("k", 2);
    return complete();
  });
  assert.deepStrictEqual(summaryOf(await harness.run()), ["cancelled", 1, "JobCancelError: hook", "job_cancelled"]);
  const recorded = { output: 1, metadata: { k: 2 } };
  assert.deepStrictEqual(seen, [
    { status: "succeeded", outcome: { type: "complete" }, ...recorded },
    { status: "succeeded", outcome: { type: "cancel", reason: "hook" }, ...recorded },
  ]);
});

test("a hook may turn a failure into a success and a success into a failure", async () => {
  const rescued = withHooks((_context, result) => {
    assert.equal(result.status, "failed");
    return { status: "succeeded" };
  }).handle(() => Promise.reject(new Error("boom")));
  assert.equal((await rescued.run()).eventKind, "job_completed");
  const failed = withHooks(() => ({ status: "failed", error: new Error("audit") })).handle(() => {});
  assert.deepStrictEqual(summaryOf(await failed.run()), ["available", 1, "audit", "job_failed"]);
});

test("a result that a hook returns records its output and metadata", async () => {
  const harness = withHooks(() => ({ status: "succeeded", output: "o", metadata: { a: 1 } })).handle(() => {});
  assert.deepStrictEqual(metadataOf(await harness.run()), { output: "o", a: 1 });
});

test("failed with cancel calls the error handler, cancelled does not; both cancel the job with the hook's error", async () => {
  const seen: unknown[] = [];
  for (const result of [
    { status: "failed", error: new Error("stop"), cancel: true },
    { status: "cancelled", error: new Error("stop") },
  ]) {
    const harness = new AttemptHarness({
      hooks: { afterWork: () => result as WorkAttemptResult },
      errorHandler: (_context, error) => void seen.push((error as Error).message),
    }).handle(() => {});
    assert.deepStrictEqual(summaryOf(await harness.run()), ["cancelled", 1, "stop", "job_cancelled"]);
  }
  assert.deepStrictEqual(seen, ["stop"]);
});

test("a hook that throws or returns something else fails the attempt, and the hooks after it see that", async () => {
  const seen: string[] = [];
  const look: AfterWork = (_context, result) =>
    void seen.push(`${result.status}: ${(result as { error?: Error }).error?.message}`);
  for (const bad of [
    5,
    { status: "done" },
    { status: "failed" },
    { status: "succeeded", outcome: { type: "cancel" } },
  ]) {
    const harness = withHooks(() => bad, look).handle(() => snooze({ seconds: 1 }));
    assert.equal(((await harness.run()).error as Error).name, "ExtensionError");
  }
  const throwing = withHooks(() => {
    throw new Error("hook");
  }, look).handle(() => {});
  await throwing.run();
  assert.equal(seen.length, 5);
  assert.equal(seen[4], "failed: hook");
});

test("after a cancellation from outside a failed handler shows as cancelled", async () => {
  const seen: string[] = [];
  const harness = withHooks((_context, { status }) => void seen.push(status)).handle(({ signal }) =>
    signal.throwIfAborted(),
  );
  const attempt = harness.start(undefined, true);
  assert.equal((await attempt.end).eventKind, "job_cancelled");
  assert.deepStrictEqual(seen, ["cancelled"]);
});
