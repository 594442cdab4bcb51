/** Targets, options, contexts, outcomes and the close: the executor without a client. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { ConfigurationError, defineJob, LifecycleError } from "riverqueue";
import { WorkerThreadHandlerError, WorkerThreads } from "../src/index.ts";
import { contextOf, crashers, handlers, task, threads } from "./testdata/attempts.ts";

failOnLeaks();

test("WT-05 WT-06 WT-09 WT-65 a named export of a module runs in a thread and succeeds by returning nothing", async (t) => {
  const { start } = threads(t);
  assert.equal(await start("nothing").end, undefined);
  assert.equal(await start("nothingLater").end, undefined);
  assert.deepEqual(plain(await start("formatted").end), { type: "complete", output: "HELLO!" });
});

test("WT-10 outcomes come back as if they had been built here", async (t) => {
  const { start } = threads(t);
  const snoozed = await start("snoozed").end;
  assert.ok(snoozed && "duration" in snoozed && snoozed.duration instanceof Temporal.Duration);
  assert.deepEqual(plain(snoozed), { type: "snooze", duration: "PT1H0.001000005S" });
  assert.deepEqual(plain(await start("discarded").end), { type: "discard", reason: "enough" });
  assert.deepEqual(plain(await start("cancelled").end), { type: "cancel", reason: "no more" });
});

test("WT-11 WT-12 WT-13 WT-14 the context has six members, the job as claimed and a native time", async (t) => {
  const { start } = threads(t);
  const outcome = await start("whereAmI", { args: { decoded: true }, rawArgs: { n: 1 } }).end;
  assert.ok(outcome && "output" in outcome);
  assert.deepEqual(plain(outcome.output), {
    isMainThread: false,
    members: ["execution", "job", "logger", "recordOutput", "setMetadata", "signal"],
    args: { decoded: true },
    rawArgs: { n: 1 },
    attemptedBy: "client-1",
    startedAt: "2026-12-01T01:02:03.123456789Z",
    id: "7",
    createdAt: "2026-12-01T00:00:00Z",
    scheduledAt: "2026-12-01T00:00:00.000001Z",
    errorAt: "2026-12-01T01:00:00.5Z",
    error: "once",
    metadata: { note: "kept" },
    key: 32,
    columns: ["task", "default", "running", 1, 2, 25, null],
    lists: [["red"], ["client-0", "client-1"], ["available", "pending", "running", "scheduled"]],
    left: [],
  });
});

test("WT-15 logger, output and metadata arrive in order and before the result", async (t) => {
  const { start } = threads(t);
  const attempt = start("sendEverything", { rawArgs: { deep: [1] } });
  await attempt.end;
  assert.deepEqual(plain(attempt.sent.logs), [
    { level: "debug", attributes: null, message: "plain" },
    { level: "info", attributes: { deep: [1] }, message: "with attributes" },
    { level: "warn", attributes: {}, message: "empty" },
    { level: "error", attributes: null, message: "bad" },
  ]);
  assert.deepEqual(plain(attempt.sent.output), [{ deep: [1] }]);
  assert.deepEqual(plain(attempt.sent.metadata.get("copy")), { deep: [1] });
});

test("WT-07 WT-19 a name that is no function fails the attempt and leaves the thread alone", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  for (const name of ["notAFunction", "notThere"]) {
    const error = await start(name).end;
    assert.ok(error instanceof WorkerThreadHandlerError);
    assert.equal(error.message, `ESM export "${name}" is not a function`);
  }
  assert.equal(await start("nothing").end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("a module that cannot be loaded fails its attempts only", async (t) => {
  const { start, executor } = threads(t);
  const missing = await start("nothing", {}, new URL("./missing.js", import.meta.url)).end;
  assert.ok(missing instanceof WorkerThreadHandlerError);
  assert.match(missing.message, /Cannot find module .*missing\.js/);
  assert.equal(await start("nothing").end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("a handler that returns something else fails with a message that says so", async (t) => {
  const { start } = threads(t);
  const error = await start("returnRubbish").end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.match(error.message, /^the handler of job kind "task" returned .*; it must return nothing, or an outcome$/);
});

for (const n of [0, 1, 2, 3]) {
  test(`WT-10 WT-54 what only has the mark of an outcome fails its attempt and costs no thread: forgery ${n}`, async (t) => {
    const { start, executor } = threads(t, { maxThreads: 1 });
    assert.ok((await start("forgeOutcome", { rawArgs: { n } }).end) instanceof Error);
    assert.equal(executor.diagnostics().idleThreads, 1);
    assert.equal(await start("nothing").end, undefined);
  });
}

test("WT-20 a target without kind, absolute URL or name is refused, with everything that is wrong", () => {
  const executor = new WorkerThreads({ maxThreads: 1 });
  const make = (definition: unknown, target: unknown) => (): unknown =>
    (executor.handler as (definition: unknown, target: unknown) => unknown).call(executor, definition, target);
  const good = { exportName: "nothing", module: handlers };
  for (const definition of [undefined, null, "task", {}, { kind: "" }, { kind: 5 }]) {
    assert.throws(make(definition, good), ConfigurationError);
  }
  for (const module of [undefined, "./handlers.js", { href: "./handlers.js" }, null, 5]) {
    assert.throws(make(task, { ...good, module }), { name: "ConfigurationError", message: /target\.module/ });
  }
  for (const exportName of ["", undefined, 5, null]) {
    assert.throws(make(task, { ...good, exportName }), { name: "ConfigurationError", message: /target\.exportName/ });
  }
  assert.throws(make({}, { exportNames: "x" }), {
    message:
      "definition must be a job definition: an object with a kind; " +
      "target.exportNames is no option; did you mean exportName?; " +
      "target.module must be an absolute URL; target.exportName must be a non-empty string",
  });
  assert.doesNotThrow(make(task, good));
});

test("WT-21 WT-22 WT-80 foreign targets and other kinds are refused without a thread", async (t) => {
  const { executor, target, start } = threads(t);
  const other = threads(t);
  const { context } = contextOf();
  assert.throws(() => executor.start(context, other.target("nothing").handler), {
    name: "ConfigurationError",
    message: "worker thread handler was not created by this executor",
  });
  for (const handler of [undefined, null, {}, { ...(target("nothing").handler as object) }]) {
    assert.throws(() => executor.start(context, handler), { message: /was not created by this executor/ });
  }
  assert.throws(() => executor.start(contextOf({ kind: "other" }).context, target("nothing").handler), {
    name: "ConfigurationError",
    message: 'worker thread handler of job kind "task" was given a job of kind "other"',
  });
  assert.equal(executor.diagnostics().totalThreads, 0);
  assert.equal(await start("nothing").end, undefined);
});

test("WT-03 WT-22 a target works the aliases of its definition", async (t) => {
  const { executor } = threads(t);
  const definition = defineJob({ kind: "new_name", kindAliases: ["old_name"] });
  const { handler } = executor.handler(definition, { exportName: "nothing", module: crashers });
  for (const kind of ["new_name", "old_name"]) await executor.start(contextOf({ kind }).context, handler).result;
});

function making(options: unknown): () => unknown {
  return () => new WorkerThreads(options as never);
}

test("WT-23 WT-55 options out of range, unknown or missing are refused together", () => {
  for (const maxThreads of [0, -1, 1.5, NaN, Infinity, "2", null, undefined]) {
    assert.throws(making({ maxThreads }), {
      name: "ConfigurationError",
      message: /options\.maxThreads must be a positive/,
    });
  }
  assert.throws(making(undefined), { name: "ConfigurationError", message: /options must be an object/ });
  assert.throws(
    making({
      maxThread: 2,
      maxThreads: 0,
      resourceLimits: { maxOldGenerationSize: 5, stackSizeMb: -1, codeRangeSizeMb: "1" },
    }),
    {
      message:
        "options.maxThread is no option; did you mean maxThreads?; options.maxThreads must be a positive integer; " +
        "options.resourceLimits.maxOldGenerationSize is no option; did you mean maxOldGenerationSizeMb?; " +
        "options.resourceLimits.codeRangeSizeMb must be a positive number of megabytes; " +
        "options.resourceLimits.stackSizeMb must be a positive number of megabytes",
    },
  );
  assert.doesNotThrow(making({ maxThreads: 1, resourceLimits: undefined }));
});

test("WT-57 WT-74 figures and bounds: threads are started when needed, reused, and never more than the limit", async (t) => {
  const { executor, start } = threads(t);
  const idle = { activeThreads: 0, crashedThreads: 0, idleThreads: 0, pendingTasks: 0, totalThreads: 0 };
  assert.deepEqual(executor.diagnostics(), idle);
  const running = [start("waitForAbort"), start("waitForAbort"), start("waitForAbort")];
  await running[0]?.begun();
  await running[1]?.begun();
  assert.deepEqual(executor.diagnostics(), { ...idle, activeThreads: 2, pendingTasks: 1, totalThreads: 2 });
  for (const attempt of running) await attempt.abort();
  for (const attempt of running) await attempt.end;
  assert.deepEqual(executor.diagnostics(), { ...idle, idleThreads: 2, totalThreads: 2 });
});

test("WT-47 attempts that wait get threads in the order in which they came", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const order: number[] = [];
  const attempts = Array.from({ length: 20 }, (_, n) =>
    start("countCalls").end.then((outcome) => order.push(n) && outcome),
  );
  const outcomes = await Promise.all(attempts);
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, n) => n),
  );
  assert.deepEqual(
    outcomes.map((outcome) => outcome && "output" in outcome && outcome.output),
    Array.from({ length: 20 }, (_, n) => n + 1),
    "one thread, one attempt at a time",
  );
});

test("WT-60 WT-61 WT-62 a close fails what waits and what runs, ends the threads, and does so once", async (t) => {
  const { executor, start, target } = threads(t, { maxThreads: 1 });
  const running = start("spin");
  await running.begun();
  const waiting = start("nothing");
  const closed = executor.close();
  assert.equal(executor.close(), closed);
  assert.equal(executor[Symbol.asyncDispose](), closed);
  await closed;
  assert.equal(executor.diagnostics().totalThreads, 0);
  assert.deepEqual(plain(await running.end), {
    name: "LifecycleError",
    message: "worker thread executor closed while the attempt was running",
    code: "lifecycle",
  });
  assert.deepEqual(plain(await waiting.end), {
    name: "LifecycleError",
    message: "worker thread executor is closed",
    code: "lifecycle",
  });
  assert.throws(() => executor.start(contextOf().context, target("nothing").handler), LifecycleError);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-61 an executor that was never used, or is starting its threads, closes", async (t) => {
  await new WorkerThreads({ maxThreads: 1 }).close();
  const { executor, start } = threads(t);
  const attempt = start("nothing");
  await executor.close();
  assert.ok((await attempt.end) instanceof LifecycleError);
});

test("WT-78 a handler makes richer values of its own from what crossed", async (t) => {
  const { start } = threads(t);
  assert.deepEqual(plain(await start("buildMoney", { rawArgs: { cents: 1234 } }).end), {
    type: "complete",
    output: "12.34",
  });
});

test("after its end an attempt records nothing, still logs, and its signal has aborted", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const attempt = start("useFinishedContext");
  await attempt.end;
  await start("nothingLater").end;
  await start("nothingLater").end;
  assert.deepEqual(plain(attempt.sent), {
    logs: [
      {
        level: "info",
        attributes: { thrown: "JobAttemptFinishedError", aborted: true, name: "JobAttemptFinishedError" },
        message: "late",
      },
    ],
    output: [],
    metadata: [],
  });
});
