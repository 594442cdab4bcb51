/** Jobs whose handlers run in threads: claimed, retried, cancelled, timed out and stopped like any other. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain, pollUntil, waitForItem } from "@riverqueue/internal-test-kit";
import { defineJob, parseJsonObject, stringifyJson, Workers, type WorkMiddleware } from "riverqueue";
import { WorkerThreads } from "../src/index.ts";
import { crashers, handlers, task } from "./testdata/attempts.ts";
import { clientWithThreads } from "./testdata/client-with-threads.ts";

failOnLeaks();

const retryAtOnce = { retryPolicy: (_: unknown, now: Temporal.Instant): Temporal.Instant => now };

test("WT-01 WT-02 WT-03 jobs in threads are claimed, retried, counted and reported like any other", async (t) => {
  const outer: string[] = [];
  const middleware: WorkMiddleware = async ({ job }, next) => {
    outer.push(job.kind);
    return next();
  };
  const { insert, event, row } = await clientWithThreads(t, {
    kinds: ["fail", "echoArgs"],
    client: { ...retryAtOnce, middleware: [middleware] },
  });
  const failing = await insert("fail", { message: "never mind" }, { maxAttempts: 2 });
  const echoing = await insert("echoArgs", { n: 5 });
  const completed = await event("job_completed", echoing);
  assert.deepEqual(plain(completed.job.metadata["output"]), { n: 5 });
  await pollUntil(async () => (await row(failing)).state === "discarded");
  const { attempt, errors } = await row(failing);
  assert.deepEqual([attempt, errors.map(({ error }) => error)], [2, ["never mind", "never mind"]]);
  assert.deepEqual(outer.toSorted(), ["echoArgs", "fail", "fail"]);
});

test("WT-03 a registration covers aliases", () => {
  const executor = new WorkerThreads({ maxThreads: 1 });
  const definition = defineJob({ kind: "new_name", kindAliases: ["old_name"] });
  const target = executor.handler(definition, { exportName: "nothing", module: handlers });
  const workers = new Workers().addExecutor(definition, target);
  assert.deepEqual(workers.kinds(), ["new_name", "old_name"]);
});

test("WT-04 WT-57 the pool's figures are in the client's diagnostics", async (t) => {
  const { insert, event, run } = await clientWithThreads(t, { kinds: ["nothing"] });
  await event("job_completed", await insert("nothing"));
  assert.deepEqual(run.diagnostics.executors, {
    worker_threads: { activeThreads: 0, crashedThreads: 0, idleThreads: 1, pendingTasks: 0, totalThreads: 1 },
  });
});

test("WT-24 arguments that do not pass their definition never reach a thread", async (t) => {
  const executor = new WorkerThreads({ maxThreads: 1 });
  const checked = defineJob({
    kind: "echoArgs",
    decode: () => {
      throw new Error("not these");
    },
  });
  const target = executor.handler(checked, { exportName: "echoArgs", module: handlers });
  const { client, event } = await clientWithThreads(t, {
    kinds: [],
    client: { workers: new Workers().addExecutor(checked, target) },
  });
  // As another client would insert it, which knows nothing of the definition.
  await client.insert(defineJob({ kind: "echoArgs" }), { n: 1 });
  const failed = await event("job_failed");
  assert.match(failed.job.errors[0]?.error ?? "", /not these|args/);
  assert.equal(executor.diagnostics().totalThreads, 0);
});

test("WT-26 C03 digits survive a thread, and what it records comes back with all of them", async (t) => {
  const text =
    '{"id":9007199254740993,"min":-9223372036854775808,"d":0.1000000000000000055511151231257827,"big":1e400}';
  const { insert, event, logs } = await clientWithThreads(t, { kinds: ["sendEverything"] });
  const { job } = await event("job_completed", await insert("sendEverything", parseJsonObject(text)));
  assert.equal(stringifyJson(job.metadata["output"]), text);
  assert.equal(stringifyJson(job.metadata["copy"]), text);
  const logged = logs.find(({ message }) => message === "with attributes");
  const { jobId, jobKind, attempt, ...attributes } = logged?.attributes ?? {};
  assert.equal(stringifyJson(attributes), text);
  assert.deepEqual([jobId, jobKind, attempt], [String(job.id), "sendEverything", 1]);
});

test("WT-82 a thread's error is recorded by its message alone, whatever it was called", async (t) => {
  const seen: unknown[] = [];
  const { insert, event } = await clientWithThreads(t, {
    kinds: ["fail"],
    client: { errorHandler: (_context, error) => void seen.push(error) },
  });
  const { job } = await event("job_failed", await insert("fail", { message: "no such file", name: "TypeError" }));
  assert.deepEqual([job.errors[0]?.error, job.errors[0]?.trace], ["no such file", ""]);
  const [error] = seen as Error[];
  assert.equal(error?.name, "TypeError");
  assert.match(error?.stack ?? "", /handlers\.ts/);
});

test("WT-82 with all stacks recorded the trace is the original one", async (t) => {
  const { insert, event } = await clientWithThreads(t, { kinds: ["fail"], client: { errorStacks: "always" } });
  const { job } = await event("job_failed", await insert("fail", { message: "no such file", name: "TypeError" }));
  assert.match(job.errors[0]?.trace ?? "", /^TypeError: no such file\n.*handlers\.ts/);
});

test("WT-43 a cancellation ends a handler that ignores it, and the job is cancelled", async (t) => {
  const { client, insert, event, logs } = await clientWithThreads(t, {
    kinds: ["spin"],
    client: { jobStuckThreshold: { milliseconds: 200 } },
  });
  const id = await insert("spin");
  await pollUntil(() => logs.some(({ message }) => message === "spinning"));
  await client.jobs.cancel(id);
  const { job } = await event("job_cancelled", id);
  assert.equal(job.errors[0]?.error, "JobCancelError: job cancelled remotely");
});

test("WT-43 C29 a timeout ends an endless loop, and the timeout is the error", async (t) => {
  const { insert, event, executor, row } = await clientWithThreads(t, {
    kinds: ["spinForEver", "nothing"],
    module: crashers,
    client: { jobTimeout: { seconds: 3 }, jobStuckThreshold: { milliseconds: 200 } },
  });
  const id = await insert("spinForEver");
  await event("job_failed", id);
  assert.match((await row(id)).errors[0]?.error ?? "", /exceeded its timeout of PT3S/);
  await event("job_completed", await insert("nothing"));
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-39 a handler that stops for a cancellation leaves the job cancelled", async (t) => {
  const { client, insert, event, logs } = await clientWithThreads(t, { kinds: ["waitForAbort"] });
  const id = await insert("waitForAbort", { end: "wrapped" });
  await pollUntil(() => logs.some(({ message }) => message === "waiting"));
  await client.jobs.cancel(id);
  await event("job_cancelled", id);
});

test("a handler that stops for a shutdown gives its attempt back", async (t) => {
  const { run, insert, row, logs } = await clientWithThreads(t, { kinds: ["waitForAbort"] });
  const id = await insert("waitForAbort", { end: "reason" }, { maxAttempts: 1 });
  await pollUntil(() => logs.some(({ message }) => message === "waiting"));
  await run.stop({ mode: "cancel" });
  const { state, attempt, errors } = await row(id);
  assert.deepEqual([state, attempt, errors], ["available", 0, []]);
});

test("WT-42 WT-44 WT-45 C16 a stop ends a spinning handler after the threshold, and what waits is handed back", async (t) => {
  const thresholdMs = 200;
  const { run, insert, row, logs, executor } = await clientWithThreads(t, {
    kinds: ["spin"],
    maxThreads: 1,
    client: { jobStuckThreshold: { milliseconds: thresholdMs } },
  });
  const spinning = await insert("spin");
  await pollUntil(() => logs.some(({ message }) => message === "spinning"));
  const waiting = await insert("spin");
  await pollUntil(() => executor.diagnostics().pendingTasks === 1);
  const before = performance.now();
  await run.stop({ mode: "cancel" });
  // Timers may come a millisecond early.
  assert.ok(performance.now() - before >= thresholdMs - 1);
  const ended = await row(spinning);
  assert.ok(ended.state === "retryable" || ended.state === "available");
  assert.deepEqual(
    [ended.attempt, ended.errors.map(({ error }) => error)],
    [1, ["job aborted after ignoring cancellation"]],
  );
  const { state, attempt, errors } = await row(waiting);
  assert.deepEqual([state, attempt, errors], ["available", 0, []]);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-48 WT-49 C29 what waits for a thread spends none of its timeout", async (t) => {
  const { insert, event, run, row } = await clientWithThreads(t, {
    kinds: ["busyFor"],
    maxWorkers: 50,
    module: crashers,
    // Less than two threads compute in all, and far more than one attempt takes, the loading of its module included.
    client: { jobTimeout: { seconds: 2 } },
  });
  const ids: bigint[] = [];
  for (let n = 0; n < 48; n++) ids.push(await insert("busyFor", { ms: 90 }));
  for (const id of ids) await event("job_completed", id);
  for (const id of ids) assert.deepEqual((await row(id)).errors, []);
  assert.equal(run.diagnostics.executors["worker_threads"]?.["totalThreads"], 2);
});

test("WT-74 a client claims, completes and cancels while every thread spins", async (t) => {
  const executor = new WorkerThreads({ maxThreads: 2 });
  t.after(() => executor.close());
  const spin = defineJob({ kind: "spin" });
  const workers = new Workers()
    .addExecutor(spin, executor.handler(spin, { exportName: "spin", module: handlers }))
    .add(task, () => {});
  const { insert, event, client, logs } = await clientWithThreads(t, {
    kinds: [],
    client: { workers, jobStuckThreshold: { milliseconds: 50 } },
  });
  const spinning = [await insert("spin"), await insert("spin")];
  await pollUntil(() => logs.filter(({ message }) => message === "spinning").length === 2);
  for (let n = 0; n < 20; n++) await event("job_completed", await insert("task"));
  for (const id of spinning) await client.jobs.cancel(id);
  for (const id of spinning) await event("job_cancelled", id);
});

test("WT-58 WT-59 clients share an executor, and the stop of one leaves it to the other", async (t) => {
  const executor = new WorkerThreads({ maxThreads: 1 });
  const one = await clientWithThreads(t, { kinds: ["nothing"], executor });
  const other = await clientWithThreads(t, { kinds: ["countCalls"], executor });
  t.after(() => executor.close());
  await one.event("job_completed", await one.insert("nothing"));
  await one.run.stop();
  const { job } = await other.event("job_completed", await other.insert("countCalls"));
  assert.equal(job.metadata["output"], 1);
  assert.equal(executor.diagnostics().totalThreads, 1);
});

test("WT-81 attempts that an early close has failed count and are retried", async (t) => {
  const { insert, event, executor, logs, row } = await clientWithThreads(t, { kinds: ["spin"], maxThreads: 1 });
  const running = await insert("spin");
  await pollUntil(() => logs.some(({ message }) => message === "spinning"));
  const waiting = await insert("spin");
  await pollUntil(() => executor.diagnostics().pendingTasks === 1);
  await executor.close();
  await event("job_failed", running);
  await event("job_failed", waiting);
  const first = await row(running);
  assert.deepEqual(
    [first.state, first.attempt, first.errors[0]?.error],
    ["available", 1, "worker thread executor closed while the attempt was running"],
  );
  assert.equal((await row(waiting)).errors[0]?.error, "worker thread executor is closed");
});

test("WT-81 an executor that is declared before the run is closed after it", async (t) => {
  const order: string[] = [];
  const { run, executor } = await clientWithThreads(t, { kinds: ["nothing"] });
  {
    await using closing = {
      async [Symbol.asyncDispose]() {
        order.push(`close after ${run.state}`);
        await executor[Symbol.asyncDispose]();
      },
    };
    await using stopping = run;
    assert.ok(closing && stopping);
  }
  assert.deepEqual(order, ["close after stopped"]);
});

test("C17 a paused queue keeps to what runs: attempts that wait for a thread run when it is free", async (t) => {
  const { client, insert, event, executor } = await clientWithThreads(t, {
    kinds: ["busyFor"],
    module: crashers,
    maxThreads: 1,
  });
  const ids = [await insert("busyFor", { ms: 500 }), await insert("busyFor", { ms: 10 })];
  // The first one waits as well, until the thread has started.
  await pollUntil(() => {
    const { activeThreads, pendingTasks } = executor.diagnostics();
    return activeThreads === 1 && pendingTasks === 1;
  });
  await client.queues.pause("default");
  for (const id of ids) await event("job_completed", id);
  const events = client.subscribe({ kinds: ["queue_resumed"] });
  await client.queues.resume("default");
  await waitForItem(events, () => true);
  await events[Symbol.asyncDispose]?.();
});
