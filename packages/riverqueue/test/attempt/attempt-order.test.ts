/** In which order an attempt runs the application's code, and what each part sees. */
import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import type { RiverHooks } from "../../src/extend/river-hooks.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import {
  currentWorkContext,
  recordedOutputOf,
  recordOutput,
  setMetadata,
} from "../../src/work/current-work-context.ts";
import { cancel, complete } from "../../src/work/outcome.ts";
import type { WorkAttemptContext } from "../../src/work/work-context.ts";
import type { WorkMiddleware } from "../../src/work/work-middleware.ts";
import {
  AttemptHarness,
  claimed,
  CLIENT_ID,
  errorOf,
  metadataOf,
  START,
  summaryOf,
} from "./testdata/attempt-harness.ts";

const refuse = (): never => assert.fail("must not run");

test("a handler that returns nothing completes the job and is reported as started before", async () => {
  const harness = new AttemptHarness().handle(() => {});
  const end = await harness.run();
  assert.deepStrictEqual(summaryOf(end), ["completed", 1, null, "job_completed"]);
  assert.equal(end.settlement.metadata, null);
  assert.equal(end.settlement.finalizedAt?.toString(), START);
  assert.deepStrictEqual(
    harness.events.map((event) => event.kind),
    ["job_started"],
  );
});

test("middleware, hooks and handler nest: worker, plugins, client, worker's plugins, hooks, handler", async () => {
  const calls: string[] = [];
  const middleware =
    (name: string): WorkMiddleware<unknown> =>
    async (_context, next) => {
      calls.push(`${name} in`);
      const outcome = await next();
      calls.push(`${name} out`);
      return outcome;
    };
  const hooks = (name: string): RiverHooks<unknown> => ({
    beforeWork: () => void calls.push(`${name} before`),
    afterWork: () => void calls.push(`${name} after`),
  });
  const harness = new AttemptHarness({
    hooks: hooks("client"),
    middleware: [middleware("client")],
    plugins: [{ name: "p", hooks: hooks("plugin"), middleware: [middleware("plugin")] }],
  }).handle(() => void calls.push("handler"), {
    hooks: hooks("worker"),
    middleware: [middleware("worker")],
    plugins: [{ name: "w", hooks: hooks("worker plugin"), middleware: [middleware("worker plugin")] }],
  });
  await harness.run();
  assert.deepStrictEqual(calls, [
    "worker in",
    "plugin in",
    "client in",
    "worker plugin in",
    "plugin before",
    "client before",
    "worker plugin before",
    "worker before",
    "handler",
    "plugin after",
    "client after",
    "worker plugin after",
    "worker after",
    "worker plugin out",
    "client out",
    "plugin out",
    "worker out",
  ]);
});

test("the handler's context has the decoded job and everything it needs, also taken apart", async () => {
  const harness = new AttemptHarness();
  const checked = defineJob({ kind: "checked", decode: (value) => ({ twice: Number(value["n"]) * 2 }) });
  harness.workers.add(checked, async ({ job, logger, execution, client, recordOutput: record, setMetadata: set }) => {
    assert.deepStrictEqual(job.args, { twice: 2 });
    assert.equal(job.rawArgs["n"], 1);
    assert.equal(job.id, 7n);
    assert.equal(execution.attemptedBy, CLIENT_ID);
    assert.equal(execution.startedAt.toString(), START);
    assert.equal(client.clientId, CLIENT_ID);
    logger.info("plain");
    logger.warn({ extra: 1, jobId: 9 }, "with attributes");
    record({ done: true });
    set("k", 1);
    set("k", [2]);
  });
  const end = await harness.run(claimed({ kind: "checked" }));
  assert.equal(end.eventKind, "job_completed");
  assert.deepStrictEqual(metadataOf(end), { output: { done: true }, k: [2] });
  const job = { jobId: "7", jobKind: "checked", attempt: 1 };
  assert.deepStrictEqual(harness.logged, [
    { level: "info", attributes: job, message: "plain" },
    { level: "warn", attributes: { extra: 1, ...job }, message: "with attributes" },
  ]);
});

test("an unknown kind fails with the shared text, is logged, and nothing of the application but the error handler runs", async () => {
  const seen: unknown[] = [];
  const harness = new AttemptHarness({
    hooks: { beforeWork: refuse },
    middleware: [refuse],
    errorHandler: (context, error) => void seen.push(context.job.kind, (error as Error).name),
  });
  const end = await harness.run(claimed({ kind: "other" }));
  assert.equal(errorOf(end)?.error, "job kind is not registered in the client's Workers bundle: other");
  assert.equal(end.settlement.state, "available");
  assert.deepStrictEqual(seen, ["other", "UnknownJobKindError"]);
  assert.equal(harness.logged[0]?.level, "error");
});

test("a row that cannot be decoded fails without hooks and is retried", async () => {
  const rows = [
    claimed({ args: "[1]" }),
    claimed({ metadata: "null" }),
    Object.defineProperty(claimed(), "args", {
      get() {
        throw new Error("args is no text");
      },
    }),
  ];
  const texts: (string | undefined)[] = [];
  for (const row of rows) {
    const harness = new AttemptHarness({ hooks: { beforeWork: refuse } }).handle(refuse);
    texts.push(errorOf(await harness.run(row))?.error);
  }
  assert.deepStrictEqual(texts, [
    "job row couldn't be decoded: args must hold a JSON object",
    "job row couldn't be decoded: metadata must hold a JSON object",
    "job row couldn't be decoded: args is no text",
  ]);
});

test("A.1 row 13: a begin hook that throws is the attempt's error, and nothing further runs", async () => {
  const harness = new AttemptHarness({
    hooks: {
      beforeWork() {
        throw new Error("not today");
      },
      afterWork: refuse,
    },
  }).handle(refuse);
  const end = await harness.run();
  assert.equal(errorOf(end)?.error, "not today");
  assert.equal(end.eventKind, "job_failed");
});

test("A.1 row 12: arguments are checked after the begin hooks and before the handler, also asynchronously", async () => {
  const calls: string[] = [];
  const harness = new AttemptHarness({ hooks: { beforeWork: () => void calls.push("before") } });
  const decode = async (): Promise<never> => {
    calls.push("decode");
    throw new Error("secret value");
  };
  harness.workers.add(defineJob({ kind: "checked", decode }), () => void calls.push("handler"));
  const end = await harness.run(claimed({ kind: "checked" }));
  assert.deepStrictEqual(calls, ["before", "decode"]);
  assert.equal((end.error as Error).name, "PayloadValidationError");
  assert.doesNotMatch(errorOf(end)?.error ?? "", /secret/);
});

test("the attempt is ambient for code below the handler, and not beyond it", async () => {
  const later: (() => unknown)[] = [];
  const harness = new AttemptHarness({
    hooks: {
      beforeWork() {
        setMetadata("hook", 1);
        assert.throws(() => currentWorkContext(), LifecycleError);
      },
    },
  }).handle(async (context) => {
    await Promise.resolve();
    assert.equal(currentWorkContext(), context);
    recordOutput("out");
    later.push(() => context.recordOutput(1));
  });
  const end = await harness.run();
  assert.equal(end.eventKind, "job_completed");
  assert.deepStrictEqual(metadataOf(end), { hook: 1, output: "out" });
  assert.throws(() => later[0]?.(), { name: "JobAttemptFinishedError" });
  assert.throws(() => currentWorkContext(), {
    name: "LifecycleError",
    message: "currentWorkContext must be called inside a handler",
  });
  assert.throws(() => recordOutput(1), LifecycleError);
  assert.throws(() => setMetadata("k", 1), LifecycleError);
});

test("the output recorded so far is known to calls of the same attempt's client about its job only", async () => {
  const seen: unknown[] = [];
  const harness = new AttemptHarness().handle(({ client, recordOutput: record }) => {
    seen.push(recordedOutputOf(client, 7n));
    record([1]);
    seen.push(recordedOutputOf(client, 7n), recordedOutputOf(client, 8n), recordedOutputOf({}, 7n));
  });
  await harness.run();
  seen.push(recordedOutputOf({}, 7n));
  assert.deepStrictEqual(seen, [undefined, [1], undefined, undefined, undefined]);
});

test("JS-112: an attempt goes on when its handler catches the refusal of a value that is too large", async () => {
  const harness = new AttemptHarness().handle(({ recordOutput: record, setMetadata: set }) => {
    const large = "x".repeat(33_554_432);
    for (const act of [() => record(large), () => set("k", large)]) assert.throws(act, { code: "validation" });
    record("small");
  });
  const end = await harness.run();
  assert.equal(end.eventKind, "job_completed");
  assert.deepStrictEqual(metadataOf(end), { output: "small" });
});

test("what complete() carries wins over recorded output", async () => {
  const harness = new AttemptHarness().handle(({ recordOutput: record }) => {
    record(1);
    return complete({ output: 2 });
  });
  assert.deepStrictEqual(metadataOf(await harness.run()), { output: 2 });
});

test("what an attempt recorded is written whatever its outcome", async () => {
  const failing = new AttemptHarness().handle(({ setMetadata: set }) => {
    set("seen", true);
    throw new Error("boom");
  });
  assert.deepStrictEqual(metadataOf(await failing.run()), { seen: true });
});

test("a factory makes a handler for each attempt, with its context", async () => {
  const harness = new AttemptHarness();
  const made: unknown[] = [];
  harness.workers.add(defineJob({ kind: "made" }), {
    async createWorkHandler(context) {
      made.push(context.job.id);
      return () => cancel({ reason: "made" });
    },
  });
  for (const id of [1n, 2n])
    assert.equal((await harness.run(claimed({ id, kind: "made" }))).eventKind, "job_cancelled");
  assert.deepStrictEqual(made, [1n, 2n]);
  harness.workers.add(defineJob({ kind: "empty" }), { createWorkHandler: () => 5 as never });
  assert.equal(
    errorOf(await harness.run(claimed({ kind: "empty" })))?.error,
    "createWorkHandler must make a function, not a number",
  );
});

test("riverqueue:work gets context and result before the result is persisted", async (t) => {
  const published: unknown[] = [];
  const listener = (message: unknown): void => void published.push(message);
  diagnostics.subscribe("riverqueue:work", listener);
  t.after(() => diagnostics.unsubscribe("riverqueue:work", listener));
  const ok = new AttemptHarness().handle(() => complete({ output: 1 }));
  await ok.run();
  const failing = new AttemptHarness().handle(() => Promise.reject(new Error("boom")));
  await failing.run();
  const [first, second] = published as { context: WorkAttemptContext; result: Record<string, unknown> }[];
  assert.equal(first?.context.job.id, 7n);
  assert.deepStrictEqual(first.result, { status: "succeeded", outcome: complete({ output: 1 }), output: 1 });
  assert.equal(second?.result["status"], "failed");
  assert.equal((second.result["error"] as Error).message, "boom");
});

test("an attempt that is handed back counts for nothing", async () => {
  const attempt = new AttemptHarness().runner.handBack(claimed({ attempt: 4 }));
  const end = await attempt.end;
  assert.ok(end);
  assert.deepStrictEqual(summaryOf(end), ["available", 3, null, "job_interrupted"]);
});
