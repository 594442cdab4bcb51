/** What the managed executor does beyond the plain one: recycling, the breaker, priorities, and a client in handlers. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain, pollUntil } from "@riverqueue/internal-test-kit";
import { ConfigurationError, defineJob, Workers } from "riverqueue";
import { LoadBreaker } from "../src/managed/load-breaker.ts";
import { ManagedWorkerThreads } from "../src/managed/index.ts";
import { faultOf } from "../src/protocol/fault-of.ts";
import { placeText } from "../src/protocol/handler-place.ts";
import { contextOf, crashers, handlers, type Started, underTest } from "./testdata/attempts.ts";
import { clientWithThreads } from "./testdata/client-with-threads.ts";

failOnLeaks();

/** Of the error that an attempt ends with. */
async function messageOf(attempt: Started | null): Promise<string> {
  const end = await attempt?.end;
  assert.ok(end instanceof Error);
  return end.message;
}

test("a thread is replaced after so many attempts", async (t) => {
  const { start } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, recycle: { afterJobs: 2 } }));
  const counts = [];
  for (let n = 0; n < 5; n++) counts.push(await start("countCalls").end);
  assert.deepEqual(plain(counts.map((outcome) => outcome && "output" in outcome && outcome.output)), [1, 2, 1, 2, 1]);
});

test("a thread is replaced when it is too old", async (t) => {
  const { start, executor } = underTest(
    t,
    new ManagedWorkerThreads({ maxThreads: 1, recycle: { afterAge: { nanoseconds: 1 } } }),
  );
  assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 });
  assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 });
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("a thread is replaced when its heap has grown beyond the limit, and kept below it", async (t) => {
  const small = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, recycle: { aboveHeapMb: 1 } }));
  assert.deepEqual(plain(await small.start("countCalls").end), { type: "complete", output: 1 });
  assert.deepEqual(plain(await small.start("countCalls").end), { type: "complete", output: 1 });
  const large = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, recycle: { aboveHeapMb: 4_000 } }));
  assert.deepEqual(plain(await large.start("countCalls").end), { type: "complete", output: 1 });
  assert.deepEqual(plain(await large.start("countCalls").end), { type: "complete", output: 2 });
});

test("a handler that cannot be loaded is not tried any more, and the error names file and export", async (t) => {
  const { start, executor } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, breaker: { failures: 2 } }));
  const missing = new URL("./missing.js", import.meta.url);
  for (let n = 0; n < 2; n++) {
    const error = await start("nothing", {}, missing).end;
    assert.ok(error instanceof Error);
    assert.match(error.message, /Cannot find module/);
  }
  await pollUntil(() => executor.diagnostics().totalThreads === 0);
  assert.throws(
    () => start("nothing", {}, missing),
    (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(
        error.message,
        /^worker thread handler "nothing" of file:.*missing\.js could not be loaded 2 times in a row/,
      );
      return true;
    },
  );
  for (let n = 0; n < 2; n++) await start("notThere", {}, crashers).end;
  assert.throws(
    () => start("notThere", {}, crashers),
    /"notThere" of .*crashers\.js .*ESM export "notThere" is not a function/,
  );
  assert.equal(await start("nothing", {}, crashers).end, undefined, "others are not concerned");
});

for (const [file, message] of [
  ["exits-on-import", /2 times in a row, at last with: worker thread exited with code 8/],
  ["throws-while-loading", /2 times in a row, at last with: thrown while loading;/],
] as const) {
  test(`a handler whose module ends its thread while it is loaded is not tried any more: ${file}`, async (t) => {
    const { start, executor } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, breaker: { failures: 2 } }));
    const module = new URL(`./testdata/${file}.js`, import.meta.url);
    for (let n = 0; n < 2; n++) assert.ok((await start("neverReached", {}, module).end) instanceof Error);
    assert.throws(() => start("neverReached", {}, module), message);
    assert.equal(executor.diagnostics().crashedThreads, 2);
    assert.equal(await start("nothing", {}, crashers).end, undefined, "others are not concerned");
  });
}

test("handlers that are loaded and then end their threads leave the breaker closed", async (t) => {
  const { start } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, breaker: { failures: 2 } }));
  for (let n = 0; n < 4; n++) {
    assert.match(await messageOf(start("exitAtOnce", {}, crashers)), /exited with code 0/);
  }
});

test("the breaker closes when the attempt that it has let pass loads its handler, whatever that does then", async (t) => {
  const breaker = { failures: 2, cooldown: { milliseconds: 300 } };
  const { start } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, breaker }));
  const module = new URL("./testdata/fails-once.js", import.meta.url);
  const marker = `river-fails-once-breaker-${process.pid}`;
  t.after(() => delete process.env[marker]);
  const begin = (): Started | null => {
    try {
      return start("exit", {}, module);
    } catch {
      return null;
    }
  };
  process.env[marker] = "1";
  for (let n = 0; n < 2; n++) assert.match(await messageOf(start("exit", {}, module)), /first import/);
  assert.equal(begin(), null);
  delete process.env[marker];
  const probe = await pollUntil(begin);
  assert.match(await messageOf(probe), /exited with code 9/);
  // One failure alone does not open it, unless it counts those before the probe.
  process.env[marker] = "1";
  assert.match(await messageOf(await pollUntil(begin)), /first import/);
  assert.match(await messageOf(begin()), /first import/);
});

test("the breaker lets one attempt pass after the pause, and closes when that has loaded", () => {
  let now = 0;
  const breaker = new LoadBreaker(2, 1_000, () => now);
  const place = placeText({ moduleUrl: "file:///h.js", exportName: "h" });
  const fault = faultOf(new Error("no"), "module");
  breaker.note(place, fault);
  breaker.assertClosed(place);
  breaker.note(place, fault);
  assert.throws(() => breaker.assertClosed(place), /tried again in 1 s$/);
  breaker.assertClosed(placeText({ moduleUrl: "file:///h.js", exportName: "other" }));
  now = 1_000;
  breaker.assertClosed(place);
  assert.throws(() => breaker.assertClosed(place), ConfigurationError, "only one");
  breaker.note(place, null);
  breaker.assertClosed(place);
  breaker.note(place, fault);
  breaker.assertClosed(place);
});

test("attempts wait by the priority of their jobs, and among equals in their order", async (t) => {
  const { start } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, priority: true }));
  const blocking = start("waitForAbort");
  await blocking.begun();
  const order: number[] = [];
  const ends = [4, 2, 3, 1, 2].map((priority, n) => start("nothing", { priority }).end.then(() => order.push(n)));
  await blocking.abort();
  await Promise.all(ends);
  assert.deepEqual(order, [3, 1, 4, 2, 0]);
});

test("handlers insert jobs of the definitions that the executor was given", async (t) => {
  const task = defineJob({ kind: "task", decode: (value) => ({ n: Number(value["n"]) }) });
  const executor = new ManagedWorkerThreads({ maxThreads: 1, inserts: [task] });
  t.after(() => executor.close());
  const insertJobs = defineJob({ kind: "insertJobs" });
  const module = new URL("./testdata/inserting-handlers.js", import.meta.url);
  const workers = new Workers().addExecutor(
    insertJobs,
    executor.handler(insertJobs, { exportName: "insertJobs", module }),
  );
  const { client, insert, event } = await clientWithThreads(t, { kinds: [], client: { workers } });
  const { job } = await event("job_completed", await insert("insertJobs"));
  const output = plain(job.metadata["output"]) as Record<string, unknown>;
  assert.deepEqual(output, {
    one: ["inserted", "task", { n: 9 }, "2099-01-01T00:00:00Z", ["tag-x"]],
    again: "duplicate",
    many: [
      ["inserted", 1],
      ["inserted", 2],
    ],
    none: [],
    refused: 'ConfigurationError: handlers may not insert jobs of kind "other": it is not among inserts',
    wrong: "ValidationError",
    tx: "ValidationError: options.tx: a transaction cannot cross to another thread",
    keys: ["client", "execution", "job", "logger", "recordOutput", "setMetadata", "signal"],
  });
  const { jobs } = await client.jobs.list({ kinds: ["task"] });
  assert.equal(jobs.length, 3);
});

test("what a handler inserts after its end is refused", async (t) => {
  const { start } = underTest(t, new ManagedWorkerThreads({ maxThreads: 1, inserts: [defineJob({ kind: "task" })] }));
  const late = start("insertLate", {}, new URL("./testdata/inserting-handlers.js", import.meta.url));
  assert.equal(await late.end, undefined);
  await pollUntil(() => late.sent.logs.length > 0);
  assert.match(late.sent.logs[0]?.message ?? "", /^JobAttemptFinishedError: /);
});

function make(options: unknown): () => unknown {
  return () => new ManagedWorkerThreads(options as never);
}

test("options of the managed executor are checked together", () => {
  assert.throws(
    make({
      maxThreads: 0,
      recycle: { afterJobs: 0, afterAge: { years: 1 }, aboveHeap: 5 },
      breaker: { failures: -1, cooldown: 5 },
      priority: 1,
      inserts: [{ kind: "x" }],
    }),
    (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      for (const path of [
        "maxThreads",
        "recycle.afterJobs",
        "recycle.afterAge",
        "breaker.failures",
        "breaker.cooldown",
      ]) {
        assert.ok(error.message.includes(`options.${path} must be`), path);
      }
      assert.match(error.message, /options\.recycle\.aboveHeap is no option; did you mean aboveHeapMb\?/);
      assert.match(error.message, /options\.priority must be .*options\.inserts must be|options\.inserts must be/);
      return true;
    },
  );
  const executor = new ManagedWorkerThreads({ maxThreads: 1, breaker: {} });
  assert.equal(executor.name, "managed_worker_threads");
  assert.throws(() => executor.start(contextOf().context, {}), /was not created by this executor/);
  assert.doesNotThrow(() => executor.handler(defineJob({ kind: "task" }), { exportName: "nothing", module: handlers }));
});
