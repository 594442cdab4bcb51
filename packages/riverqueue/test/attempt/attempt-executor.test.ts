/** Attempts on an executor: waiting for a thread, aborting, ending by force. */
import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { cancel, type WorkOutcome } from "../../src/work/outcome.ts";
import type { WorkContext } from "../../src/work/work-context.ts";
import type { WorkExecutor, WorkExecutorAbortResult, WorkExecutorHandle } from "../../src/work/work-executor.ts";
import { AttemptHarness, claimed, errorOf, type StartedAttempt, summaryOf } from "./testdata/attempt-harness.ts";

/** An executor that does nothing by itself: the test decides what its only attempt does. */
class ScriptedExecutor implements WorkExecutor {
  readonly name = "scripted";
  readonly result = deferred<WorkOutcome | undefined>();
  readonly started = deferred<void>();
  readonly aborted = deferred<WorkExecutorAbortResult>();
  readonly contexts: WorkContext[] = [];
  readonly handlers: unknown[] = [];
  readonly aborts: unknown[] = [];
  readonly #waits: boolean;

  constructor({ waits = false }: { readonly waits?: boolean } = {}) {
    this.#waits = waits;
  }

  start(context: WorkContext, handler: unknown): WorkExecutorHandle {
    this.contexts.push(context);
    this.handlers.push(handler);
    return {
      result: this.result.promise,
      ...(this.#waits ? { started: this.started.promise } : {}),
      abort: (reason, options) => {
        this.aborts.push([(reason as Error).name, options.gracePeriod.toString()]);
        return this.aborted.promise;
      },
    };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function running(
  executor: ScriptedExecutor,
  changes: Parameters<typeof claimed>[0] = {},
  harness: AttemptHarness = new AttemptHarness(),
): Promise<StartedAttempt> {
  const definition = defineJob({ kind: "threaded", decode: (value) => ({ n: Number(value["n"]) }) });
  harness.workers.addExecutor(definition, { executor, handler: "module" });
  const attempt = harness.start(claimed({ kind: "threaded", ...changes }));
  await turn();
  return attempt;
}

test("an executor gets the context with decoded arguments and the target's handler, and its outcome counts", async () => {
  const executor = new ScriptedExecutor();
  const attempt = await running(executor);
  assert.deepStrictEqual(executor.contexts[0]?.job.args, { n: 1 });
  assert.deepStrictEqual(executor.handlers, ["module"]);
  executor.result.resolve(cancel({ reason: "thread" }));
  assert.deepStrictEqual(summaryOf(await attempt.end), ["cancelled", 1, "JobCancelError: thread", "job_cancelled"]);
});

test("arguments that do not decode never reach the executor", async () => {
  const executor = new ScriptedExecutor();
  const attempt = await running(executor, { args: "[]" });
  assert.equal((await attempt.end).eventKind, "job_failed");
  assert.deepStrictEqual(executor.contexts, []);
});

test("an executor that refuses to start fails the attempt with its error", async () => {
  const harness = new AttemptHarness();
  const executor: WorkExecutor = {
    name: "refusing",
    start() {
      throw new Error("executor is closed");
    },
  };
  harness.workers.addExecutor(defineJob({ kind: "sample" }), { executor, handler: null });
  assert.equal(errorOf(await harness.run())?.error, "executor is closed");
});

test("timeout and stuck watch begin when the handler starts", async () => {
  const harness = new AttemptHarness();
  const executor = new ScriptedExecutor({ waits: true });
  const attempt = await running(executor, {}, harness);
  await harness.clock.advance(600_000);
  assert.deepStrictEqual(executor.aborts, []);
  executor.started.resolve();
  await turn();
  await harness.clock.advance(60_000);
  assert.deepStrictEqual(executor.aborts, [["JobTimeoutError", "PT10S"]]);
  executor.aborted.resolve({ terminated: true });
  assert.equal(errorOf(await attempt.end)?.error, "job 7 exceeded its timeout of PT1M");
});

test("F-20: an attempt that waits for a thread at a shutdown is given back without counting", async () => {
  const executor = new ScriptedExecutor({ waits: true });
  const attempt = await running(executor, { maxAttempts: 1 });
  attempt.interrupt();
  executor.result.reject(new Error("taken off the list"));
  executor.aborted.resolve({ terminated: false });
  assert.deepStrictEqual(summaryOf(await attempt.end), ["available", 0, null, "job_interrupted"]);
});

test("C14 (b): a cancellation while waiting for a thread cancels, and the handler never starts", async () => {
  const executor = new ScriptedExecutor({ waits: true });
  const attempt = await running(executor);
  attempt.cancel();
  executor.result.resolve(undefined);
  executor.aborted.resolve({ terminated: false });
  assert.equal((await attempt.end).eventKind, "job_cancelled");

  const gate = deferred<void>();
  const harness = new AttemptHarness({ hooks: { beforeWork: () => gate.promise } });
  const unused = new ScriptedExecutor();
  const early = await running(unused, {}, harness);
  early.cancel();
  gate.resolve();
  assert.equal((await early.end).eventKind, "job_cancelled");
  assert.deepStrictEqual(unused.contexts, []);
});

test("C16 E: a handler that a shutdown ended by force counts as an attempt", async () => {
  const executor = new ScriptedExecutor();
  const errors: unknown[] = [];
  const harness = new AttemptHarness({ errorHandler: (_context, error) => void errors.push((error as Error).name) });
  const attempt = await running(executor, {}, harness);
  attempt.interrupt();
  executor.aborted.resolve({ terminated: true });
  assert.deepStrictEqual(summaryOf(await attempt.end), [
    "available",
    1,
    "job aborted after ignoring cancellation",
    "job_failed",
  ]);
  assert.deepStrictEqual(errors, ["JobAbortedError"]);
});

test("A.2 row 8: a handler that a cancellation ended by force is cancelled, also when its result says so first", async () => {
  const executor = new ScriptedExecutor();
  const attempt = await running(executor);
  attempt.cancel();
  executor.result.reject(new Error("thread exited"));
  await turn();
  executor.aborted.resolve({ terminated: true });
  assert.equal((await attempt.end).eventKind, "job_cancelled");
});

test("a handler that settles after the abort decides by what it does", async () => {
  const stopping = new ScriptedExecutor();
  const attempt = await running(stopping);
  attempt.interrupt();
  attempt.cancel();
  stopping.result.resolve(undefined);
  assert.equal((await attempt.end).eventKind, "job_completed");
  assert.deepStrictEqual(stopping.aborts, [["LifecycleError", "PT10S"]]);

  const failing = new ScriptedExecutor();
  const other = await running(failing);
  other.interrupt();
  failing.result.reject(new Error("half done"));
  failing.aborted.resolve({ terminated: false });
  assert.equal(errorOf(await other.end)?.error, "half done");
});

test("an executor that fails to abort is logged, and its result is waited for", async () => {
  const executor = new ScriptedExecutor();
  const harness = new AttemptHarness();
  const attempt = await running(executor, {}, harness);
  attempt.interrupt();
  executor.aborted.reject(new Error("no channel"));
  await turn();
  executor.result.resolve(undefined);
  assert.equal((await attempt.end).eventKind, "job_completed");
  assert.equal(harness.logged[0]?.level, "error");
});

test("a start that is reported after the end begins no timeout", async () => {
  const harness = new AttemptHarness();
  const executor = new ScriptedExecutor({ waits: true });
  const attempt = await running(executor, {}, harness);
  executor.result.reject(new Error("refused"));
  await attempt.end;
  executor.started.resolve();
  await turn();
  assert.equal(harness.clock.pending, 0);
});
