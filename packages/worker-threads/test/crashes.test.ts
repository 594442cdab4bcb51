/** Threads that end, handlers that leave failing work behind, and errors of every kind. */
import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { failOnLeaks, plain, pollUntil, testScale } from "@riverqueue/internal-test-kit";
import { throwables } from "@riverqueue/internal-test-kit/throwables";
import { WorkerThreadHandlerError } from "../src/index.ts";
import { crashers, threads } from "./testdata/attempts.ts";

failOnLeaks();

const WAYS: Readonly<Record<string, RegExp>> = {
  exit: /^worker thread exited with code 0 before the handler had settled$/,
  "exit later": /^worker thread exited with code 4 before the handler had settled$/,
  throw: /^thrown later$/,
  reject: /^nobody caught me$/,
};

for (const [way, message] of Object.entries(WAYS)) {
  test(`WT-38 WT-50 WT-52 WT-54 C29 a thread that ends fails its attempt only: ${way}`, async (t) => {
    const { start, executor } = threads(t);
    const neighbour = start("waitForAbort");
    await neighbour.begun();
    const error = await start("endThread", { rawArgs: { way } }, crashers).end;
    assert.ok(error instanceof WorkerThreadHandlerError);
    assert.match(error.message, message);
    assert.equal(executor.diagnostics().crashedThreads, 1);
    assert.equal(executor.diagnostics().totalThreads, 1, "no replacement before it is needed");
    assert.equal(await start("nothing", {}, crashers).end, undefined);
    await neighbour.abort();
    await neighbour.end;
    assert.equal(executor.diagnostics().crashedThreads, 1);
    assert.equal(executor.diagnostics().totalThreads, 2);
  });
}

test("WT-56 C29 a handler that exceeds the heap fails with the limit, and the next one has a healthy thread", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  const error = await start("endThread", { rawArgs: { way: "memory" } }, crashers).end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.match(error.message, /memory limit/);
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

for (const what of ["rejection", "exception"]) {
  test(`WT-38 WT-51 C29 an ${what} that an ended attempt has left behind, with the thread idle, discards the thread`, async (t) => {
    const { start, executor } = threads(t, { maxThreads: 1 });
    const attempt = start("leaveBehind", { id: 41n, rawArgs: { what } });
    assert.equal(await attempt.end, undefined);
    await pollUntil(() => executor.diagnostics().totalThreads === 0);
    assert.equal(executor.diagnostics().crashedThreads, 1);
    const [entry] = attempt.sent.logs;
    assert.ok(entry !== undefined && attempt.sent.logs.length === 1);
    assert.match(entry.message, /nobody caught an error .*the attempt of job 41, which has ended$/);
    assert.equal((entry.attributes as { error: Error }).error.message, "forgotten");
  });

  test(`WT-38 WT-50 C29 an ${what} that an ended attempt has left behind does not end the running one`, async (t) => {
    const { start, executor } = threads(t, { maxThreads: 1 });
    assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 });
    const first = start("leaveBehind", { id: 41n, rawArgs: { what, afterMs: 20 } });
    const second = start("waitForAbort");
    assert.equal(await first.end, undefined);
    await pollUntil(() => executor.diagnostics().crashedThreads === 1);
    assert.match(first.sent.logs[0]?.message ?? "", /job 41/);
    assert.deepEqual(
      second.sent.logs.map(({ message }) => message),
      ["waiting"],
    );
    await second.abort();
    await second.end;
    assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 }, "a fresh thread");
    assert.equal(executor.diagnostics().crashedThreads, 1);
  });
}

test("WT-53 C29 a thread that exits after its attempt costs the next one nothing when it had not taken it", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  // Without a pause the exit comes before the thread looks at its next message.
  const first = start("exitAfterReturning", {}, crashers);
  const second = start("nothing", {}, crashers);
  assert.equal(await first.end, undefined);
  assert.equal(await second.end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

test("WT-38 WT-54 every attempt ends that ran in a thread whose port a handler has closed", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const attempts = ["closePort", "nothing", "nothing"].map((name) => start(name, {}, crashers));
  const [closing] = await Promise.all(attempts.map(({ end }) => end));
  assert.equal((closing as Error).message, "worker thread exited with code 0 before the handler had settled");
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

test("WT-41 C29 an attempt that has succeeded stays so when a listener on its signal ends the thread", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  for (let crashed = 1; crashed <= 2; crashed++) {
    assert.equal(await start("exitWhenFinished", {}, crashers).end, undefined);
    await pollUntil(() => executor.diagnostics().totalThreads === 0);
    assert.equal(executor.diagnostics().crashedThreads, crashed);
  }
});

test("WT-41 C29 an attempt that has succeeded stays so when a listener on its signal never returns", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 2 });
  assert.equal(await start("spinWhenFinished", {}, crashers).end, undefined);
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

for (const exportName of ["forgetWait", "forgetReason"]) {
  test(`WT-38 C29 work left behind that stops when the attempt has ended is no crash: ${exportName}`, async (t) => {
    const { start, executor } = threads(t, { maxThreads: 1 });
    assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: 1 });
    for (let n = 0; n < 3; n++) {
      const { end, sent } = start(exportName, {}, crashers);
      assert.equal(await end, undefined);
      assert.deepEqual(plain(await start("countCalls").end), { type: "complete", output: n + 2 }, "the same thread");
      assert.deepEqual(sent.logs, []);
    }
    assert.equal(executor.diagnostics().crashedThreads, 0);
  });
}

test("C29 an exit while the next attempt runs fails that one, once", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const first = start("leaveBehind", { rawArgs: { what: "exit", afterMs: 1_000 } });
  const second = start("waitForAbort");
  assert.equal(await first.end, undefined);
  const error = await second.end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.equal(error.message, "worker thread exited with code 3 before the handler had settled");
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

test("C29 a thread that a finished attempt keeps busy for ever is given up when an attempt waits for it", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const spinning = start("spinAfterReturning", {}, crashers);
  assert.equal(await spinning.end, undefined);
  await pollUntil(() => spinning.sent.logs.length > 0);
  const waiting = start("nothing", {}, crashers);
  assert.equal(await waiting.end, undefined);
  assert.equal(executor.diagnostics().totalThreads, 1);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-74 a thread that a finished attempt keeps busy is not counted on for long: another one is started", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 2 });
  const spinning = start("spinAfterReturning", {}, crashers);
  assert.equal(await spinning.end, undefined);
  await pollUntil(() => spinning.sent.logs.length > 0);
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().totalThreads, 2, "it was not waited until the busy one was given up");
});

test("a thread that cannot be made fails its attempt with that, and the next attempt has one", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const { execArgv } = process;
  t.after(() => (process.execArgv = execArgv));
  Object.assign(process, { execArgv: null });
  const { end } = start("nothing", {}, crashers);
  process.execArgv = execArgv;
  assert.ok((await end) instanceof TypeError);
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().totalThreads, 1);
});

test("WT-50 C29 an attempt that waits for threads which finished attempts keep busy is not to blame, however many these are", async (t) => {
  const { start } = threads(t, { maxThreads: 2 });
  const neighbour = start("failWhenAborted", {}, crashers);
  await neighbour.begun();
  const spinning = start("spinAfterReturning", {}, crashers);
  await pollUntil(() => spinning.sent.logs.length > 0);
  await neighbour.abort();
  const other = start("spinAfterReturning", {}, crashers);
  await pollUntil(() => other.sent.logs.length > 0);
  assert.equal(await start("nothing", {}, crashers).end, undefined);
});

test("a handler that replaces functions of the platform has its thread neither stop nor look for work for ever", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const replacing = start("replaceGlobals", {}, crashers);
  assert.equal(await replacing.end, undefined);
  await pollUntil(() => replacing.sent.logs.length > 0);
  assert.deepEqual(
    replacing.sent.logs.map(({ message }) => message),
    ["turned"],
  );
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("C29 a thread that a finished attempt keeps busy holds up no attempt that another can take", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 2 });
  const neighbour = start("failWhenAborted", {}, crashers);
  await neighbour.begun();
  const spinning = start("spinAfterReturning", {}, crashers);
  assert.equal(await spinning.end, undefined);
  await pollUntil(() => spinning.sent.logs.length > 0);
  await neighbour.abort();
  await neighbour.end;
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  assert.equal(executor.diagnostics().totalThreads, 2, "the thread that is busy was not given up for it");
});

test("C29 a module that throws on its first import only is loaded by the next attempt's thread", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const module = new URL("./fails-once.js", crashers);
  const marker = `river-fails-once-${process.pid}`;
  process.env[marker] = "1";
  t.after(() => delete process.env[marker]);
  const error = await start("succeed", {}, module).end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.equal(error.message, "first import");
  delete process.env[marker];
  assert.equal(await start("succeed", {}, module).end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("C29 what a handler posts on its parent port is not heard", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  assert.equal(await start("postRubbish").end, undefined);
  assert.equal(await start("nothing").end, undefined);
  assert.deepEqual(executor.diagnostics(), {
    activeThreads: 0,
    crashedThreads: 0,
    idleThreads: 1,
    pendingTasks: 0,
    totalThreads: 1,
  });
});

for (const exportName of ["neverReached", "alsoNeverReached"]) {
  test(`WT-50 a thread that dies while it loads ${exportName} fails its attempt only`, async (t) => {
    const { start, executor } = threads(t, { maxThreads: 1 });
    const error = await start(exportName, {}, new URL("./exits-on-import.js", crashers)).end;
    assert.ok(error instanceof WorkerThreadHandlerError);
    assert.match(error.message, /exited with code 8/);
    assert.equal(await start("nothing", {}, crashers).end, undefined);
    assert.equal(executor.diagnostics().crashedThreads, 1);
  });
}

test("WT-35 C06 whatever is thrown arrives as one error with a message", async (t) => {
  const { start } = threads(t);
  const zoo = throwables();
  const ends = await Promise.all(zoo.map((_, n) => start("throwFromZoo", { rawArgs: { n } }).end));
  for (const [n, { name, message }] of zoo.entries()) {
    const error = ends[n];
    assert.ok(error instanceof WorkerThreadHandlerError, name);
    // What the database refuses is replaced when the error is recorded.
    assert.equal(error.message.toWellFormed().replaceAll("\0", "\uFFFD"), message, name);
    assert.ok(error.message.length <= 32_768 && (error.stack?.length ?? 0) <= 32_768, name);
  }
});

/** Bytes that the heap may grow by, in all and for each thread that has crashed; a thread's own objects are several times that. */
const HEAP_NOISE = 1_048_576;
const HEAP_PER_CRASH = 500;
/** Bytes that the process may grow by, where a thread that is not given back is several MiB; most of it is the heap's ups and downs. */
const RSS_NOISE = 100 * 1_048_576;
const RSS_PER_CRASH = 2_048;
/** Of the test with as many crashes as are asked for at a scale of 1; a machine that does nothing else takes half of that. */
const CRASHES_LIMIT_MS = 3_600_000;
const CRASHES_OPTIONS = testScale > 1 ? {} : { timeout: CRASHES_LIMIT_MS };

function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

function inMebibytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

test(
  "WT-52 WT-54 WT-74 after many crashes in a row the pool is whole, and nothing of them is left",
  CRASHES_OPTIONS,
  async (t) => {
    const { start, executor } = threads(t);
    const crashes = Math.ceil(10_000 / testScale / (testScale > 1 ? 5 : 1));
    let most = 0;
    const crash = async (): Promise<void> => {
      assert.ok((await start("exitAtOnce", {}, crashers).end) instanceof WorkerThreadHandlerError);
      most = Math.max(most, executor.diagnostics().totalThreads);
    };
    const listeners = process.eventNames().map((name) => process.listenerCount(name));
    const series = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 4) await Promise.all([crash(), crash(), crash(), crash()]);
    };
    // What is loaded and compiled once is there after the first tenth.
    await series(crashes / 10);
    const before = heapInUse();
    const residentBefore = process.memoryUsage.rss();
    await series(crashes);
    const growth = heapInUse() - before;
    const resident = process.memoryUsage.rss();
    const residentGrowth = resident - residentBefore;
    t.diagnostic(
      `${crashes} crashes: the heap grew by ${Math.round(growth / 1_024)} KiB, the process by ` +
        `${inMebibytes(residentGrowth)} to ${inMebibytes(resident)} MiB`,
    );
    assert.ok(growth < HEAP_NOISE + crashes * HEAP_PER_CRASH, `${growth} bytes`);
    assert.ok(residentGrowth < RSS_NOISE + crashes * RSS_PER_CRASH, `${residentGrowth} bytes resident`);
    assert.ok(executor.diagnostics().crashedThreads >= crashes);
    assert.ok(most <= 2);
    assert.deepEqual(
      process.eventNames().map((name) => process.listenerCount(name)),
      listeners,
    );
    assert.equal(await start("nothing", {}, crashers).end, undefined);
    assert.ok(executor.diagnostics().totalThreads <= 2);
    await executor.close();
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((kind) => /Worker|MessagePort/.test(kind)),
      [],
    );
  },
);
