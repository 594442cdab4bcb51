/** Aborts: of what waits, of handlers that listen, and of handlers that do not. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain, pollUntil } from "@riverqueue/internal-test-kit";
import { JobCancelledError, JobTimeoutError, LifecycleError } from "riverqueue";
import { WorkerThreadHandlerError } from "../src/index.ts";
import { type Started, threads } from "./testdata/attempts.ts";

failOnLeaks();

/** Waits until the handler has said that it runs. */
function running({ sent }: Started): Promise<unknown> {
  return pollUntil(() => sent.logs.length > 0);
}

const REASONS: Readonly<Record<string, Error>> = {
  JobCancelledError: new JobCancelledError(7n),
  JobTimeoutError: new JobTimeoutError(7n, Temporal.Duration.from({ seconds: 5 })),
  LifecycleError: new LifecycleError("the client is stopping"),
  Error: new Error("something else"),
};

for (const [name, reason] of Object.entries(REASONS)) {
  test(`WT-39 the signal aborts with a reason like the client's: ${name}`, async (t) => {
    const { start } = threads(t);
    const attempt = start("waitForAbort", { rawArgs: { end: "tell" } });
    await running(attempt);
    assert.deepEqual(await attempt.abort(reason), { terminated: false });
    assert.deepEqual(plain(await attempt.end), {
      type: "complete",
      output: { class: name, message: reason.message },
    });
  });
}

test("WT-39 a handler that never yields hears of an abort when it asks its signal", async (t) => {
  const { start, executor } = threads(t);
  const attempt = start("spinUntilAborted");
  await running(attempt);
  assert.deepEqual(await attempt.abort(new JobCancelledError(7n)), { terminated: false });
  assert.deepEqual(plain(await attempt.end), { type: "complete", output: "job cancelled remotely" });
  assert.equal(executor.diagnostics().idleThreads, 1);
});

test("WT-46 a handler that stops by itself leaves its thread to the next attempt", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 });
  const attempt = start("waitForAbort");
  await running(attempt);
  await attempt.abort();
  await attempt.end;
  assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 2 });
});

for (const end of ["reason", "wrapped", "abort error"]) {
  test(`an error that the abort led to has the client's reason as its cause: ${end}`, async (t) => {
    const { start } = threads(t);
    const attempt = start("waitForAbort", { rawArgs: { end } });
    await running(attempt);
    const reason = new JobCancelledError(7n);
    await attempt.abort(reason);
    const error = await attempt.end;
    assert.ok(error instanceof WorkerThreadHandlerError);
    assert.equal(error.cause, reason);
  });
}

test("an error of the handler's own after an abort has no cause", async (t) => {
  const { start } = threads(t);
  const attempt = start("waitForAbort", { rawArgs: { end: "own error" } });
  await running(attempt);
  await attempt.abort();
  const error = await attempt.end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.deepEqual([error.message, error.cause], ["something else", undefined]);
});

test("WT-40 WT-41 WT-52 a handler that ignores the abort is ended, and its result waits until the thread is gone", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const attempt = start("spin");
  await running(attempt);
  let isOver = false;
  void attempt.end.then(() => (isOver = true));
  const aborting = attempt.abort(new Error("stop"), { milliseconds: 60 });
  const next = start("countCalls");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  assert.deepEqual(await aborting, { terminated: true });
  await attempt.end;
  assert.deepEqual(plain(await next.end), { type: "complete", output: 1 }, "a thread of its own");
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-41 the result of a handler that was ended by force comes when its thread is gone, and not before", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const attempt = start("spin");
  await running(attempt);
  void attempt.abort(new Error("stop"), { milliseconds: 1 });
  await attempt.end;
  assert.equal(executor.diagnostics().totalThreads, 0);
});

test("WT-43 a thread that ends by itself after an abort was not terminated", async (t) => {
  const { start, executor } = threads(t);
  const attempt = start("waitForAbort", { rawArgs: { end: "exit" } });
  await running(attempt);
  assert.deepEqual(await attempt.abort(), { terminated: false });
  assert.ok((await attempt.end) instanceof WorkerThreadHandlerError);
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

test("WT-45 C14 an attempt that waits for a thread leaves the list, and its handler never starts", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  await running(blocking);
  const waiting = start("countCalls");
  const after = start("countCalls");
  let hasStarted = false;
  void Promise.resolve(waiting.handle.started).then(() => (hasStarted = true));
  const reason = new JobCancelledError(7n);
  assert.deepEqual(await waiting.abort(reason), { terminated: false });
  assert.equal(await waiting.end, reason);
  await blocking.abort();
  assert.deepEqual(plain(await after.end), { type: "complete", output: 1 });
  assert.equal(hasStarted, false);
  assert.equal(executor.diagnostics().pendingTasks, 0);
});

test("an attempt is aborted while its thread starts, and after it has ended", async (t) => {
  const { start } = threads(t);
  const early = start("countCalls");
  assert.deepEqual(await early.abort("not even an error"), { terminated: false });
  assert.equal(await early.end, "not even an error");
  const late = start("nothing");
  await late.end;
  assert.deepEqual(await late.abort(), { terminated: false });
});

test("WT-40 an attempt that is aborted twice ends both aborts, and the second one's time ends no thread", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const attempt = start("waitForAbort");
  await running(attempt);
  const aborts = [attempt.abort(new JobCancelledError(7n)), attempt.abort(new Error("again"), { milliseconds: 1 })];
  assert.deepEqual(await Promise.all(aborts), [{ terminated: false }, { terminated: false }]);
  await attempt.end;
  assert.equal(executor.diagnostics().idleThreads, 1);
});

test("WT-48 an attempt has started when a thread runs it, and not before", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  await blocking.begun();
  const waiting = start("nothing");
  let hasStarted = false;
  const started = Promise.resolve(waiting.handle.started).then(() => (hasStarted = true));
  await running(blocking);
  assert.equal(hasStarted, false);
  await blocking.abort();
  await started;
  assert.equal(await waiting.end, undefined);
});
