/** Attempts that threads take by themselves: order, deaths, aborts and the close while they are posted. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil, seededRandom, temporaryFolder, testScale } from "@riverqueue/internal-test-kit";
import { JobCancelledError, LifecycleError } from "riverqueue";
import { WorkerThreadHandlerError } from "../src/index.ts";
import { contextOf, crashers, type JobChanges, type Started, threads } from "./testdata/attempts.ts";

failOnLeaks();

/** More than are posted at a time. */
const MANY = 40;
const SIGN_LIMIT_MS = 60_000;

/** The count of each call in its thread. */
async function countsOf(attempts: readonly Started[]): Promise<unknown[]> {
  const ends = await Promise.all(attempts.map(({ end }) => end));
  return ends.map((outcome) => outcome && "output" in outcome && outcome.output);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}

function running({ sent }: Started): Promise<unknown> {
  return pollUntil(() => sent.logs.length > 0);
}

test("WT-47 WT-74 while one thread is busy for long, another takes all that wait, in their order", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 2 });
  const [long, short] = [start("waitForAbort"), start("waitForAbort")];
  await Promise.all([running(long), running(short)]);
  const waiting = Array.from({ length: MANY }, () => start("countCalls"));
  assert.equal(executor.diagnostics().pendingTasks, MANY);
  await short.abort();
  assert.deepEqual(await countsOf(waiting), upTo(MANY));
  assert.equal(executor.diagnostics().activeThreads, 1);
  await long.abort();
  await Promise.all([long.end, short.end]);
});

test("WT-50 WT-53 a thread that dies with attempts posted fails its own, and these run in their order", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const dying = start("waitForAbort", { rawArgs: { end: "exit" } });
  await running(dying);
  const waiting = Array.from({ length: MANY }, () => start("countCalls"));
  await dying.abort();
  assert.ok((await dying.end) instanceof WorkerThreadHandlerError);
  assert.deepEqual(await countsOf(waiting), upTo(MANY));
  assert.equal(executor.diagnostics().crashedThreads, 1);
});

test("WT-45 WT-47 attempts that are cancelled while they are posted never run, and the others keep their order", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  await running(blocking);
  const waiting = Array.from({ length: MANY }, () => start("countCalls"));
  const reason = new JobCancelledError(7n);
  for (const [n, attempt] of waiting.entries()) {
    if (n % 2 === 1) assert.deepEqual(await attempt.abort(reason), { terminated: false });
  }
  assert.equal(executor.diagnostics().pendingTasks, MANY / 2);
  await blocking.abort();
  assert.deepEqual(await countsOf(waiting.filter((_, n) => n % 2 === 0)), upTo(MANY / 2));
  for (const [n, { end }] of waiting.entries()) if (n % 2 === 1) assert.equal(await end, reason);
});

test("WT-40 WT-50 an attempt that has ended by the time that its thread is to be ended for it does not cost the next one that", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const path = join(temporaryFolder(t), "sign");
  const first = start("busyFor", { rawArgs: { ms: 200 } }, crashers);
  const next = start("leaveSign", { rawArgs: { path } }, crashers);
  await first.begun();
  const aborting = first.abort(new Error("stop"), { milliseconds: 1 });
  // Until the next one runs the client hears of nothing; after an immediate, timers come before the thread's message.
  await new Promise((resolve) => setImmediate(resolve));
  awaitSignBlocking(path);
  assert.deepEqual(await aborting, { terminated: false });
  assert.equal(await first.end, undefined);
  const reason = new Error("stop");
  await next.abort(reason);
  assert.equal(((await next.end) as Error).cause, reason);
  assert.equal(executor.diagnostics().idleThreads, 1);
});

/** Keeps everything else from running until the file is there. No limit of a test ends that, so it has its own. */
function awaitSignBlocking(path: string): void {
  const until = performance.now() + SIGN_LIMIT_MS;
  while (!existsSync(path)) assert.ok(performance.now() < until, `${path} did not come`);
}

function broken(): never {
  throw new Error("broken logger");
}

test("WT-34 WT-50 an attempt that has ended by the time that its log entry meets an error fails, and the next one does not", async (t) => {
  const { start, executor, target } = threads(t, { maxThreads: 1 });
  assert.equal(await start("nothing", {}, crashers).end, undefined);
  const path = join(temporaryFolder(t), "sign");
  const logger = { debug: broken, info: broken, warn: broken, error: broken };
  const first = executor.start({ ...contextOf().context, logger }, target("logOnce", crashers).handler);
  const next = start("leaveSign", { rawArgs: { path } }, crashers);
  // Until the next one runs the client hears of nothing.
  awaitSignBlocking(path);
  await assert.rejects(Promise.resolve(first.result), { message: "broken logger" });
  const reason = new Error("stop");
  await next.abort(reason);
  assert.equal(((await next.end) as Error).cause, reason);
  await pollUntil(() => executor.diagnostics().totalThreads === 0);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-60 a close fails what is posted like all that waits", async (t) => {
  const { start, executor } = threads(t, { maxThreads: 1 });
  const runs = start("spin");
  await running(runs);
  const waiting = Array.from({ length: MANY }, () => start("countCalls"));
  await executor.close();
  assert.match(((await runs.end) as Error).message, /closed while the attempt was running$/);
  for (const { end } of waiting) {
    const error = await end;
    assert.ok(error instanceof LifecycleError);
    assert.equal(error.message, "worker thread executor is closed");
  }
});

test("WT-48 WT-49 what is posted has not started, however long it waits", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  const waiting = Array.from({ length: MANY }, () => start("nothing"));
  let started = 0;
  for (const { handle } of waiting) void Promise.resolve(handle.started).then(() => started++);
  // The same look that finds this one taken finds the others not taken.
  await blocking.begun();
  assert.equal(started, 0);
  await blocking.abort();
  await Promise.all(waiting.map(({ end }) => end));
  assert.equal(started, MANY);
});

test("WT-25 WT-27 arguments that have no place where tasks are posted arrive all the same, in their turn", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  await running(blocking);
  const order: number[] = [];
  const texts = ["small", "x".repeat(50_000), "also small", "ü".repeat(3_000)];
  const ends = texts.map(async (text, n) => {
    const outcome = await start("sendEverything", { rawArgs: { text }, ...(n === 2 && { args: { at: new Date(0) } }) })
      .end;
    order.push(n);
    return outcome && "output" in outcome && (outcome.output as { readonly text: string }).text;
  });
  await blocking.abort();
  assert.deepEqual(await Promise.all(ends), texts);
  assert.deepEqual(order, [0, 1, 2, 3]);
});

test("WT-40 WT-47 an attempt in the place of one that was aborted as a thread took it runs once", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const path = join(temporaryFolder(t), "sign");
  const pausing = start("pauseAfterTaking", { rawArgs: { path } });
  assert.equal(await pausing.end, undefined);
  // Too long for the board: until the thread has asked for it, its place is given away when it is aborted.
  const aborted = start("countCalls", { rawArgs: { text: "x".repeat(5_000) } });
  await running(pausing);
  const reason = new Error("stop");
  await aborted.abort(reason);
  assert.equal(await aborted.end, reason);
  const next = start("countCalls");
  writeFileSync(path, "");
  assert.deepEqual(await countsOf([next]), [1]);
});

test("WT-28 arguments that have changed since they were checked fail their attempt only", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const blocking = start("waitForAbort");
  await running(blocking);
  const args: Record<string, unknown> = { at: new Date(0) };
  const changed = start("nothing", { args });
  args["more"] = () => {};
  const next = start("nothing");
  await blocking.abort();
  const error = await changed.end;
  assert.ok(error instanceof Error);
  assert.equal(error.message, "job arguments cannot cross to a worker thread: they have changed");
  assert.equal(await next.end, undefined);
});

/** About as long as what is aborted has, so that its thread is ended for it just before or just after it has ended. */
const BUSY_MS = 3;

/** Kinds of attempts, and what they end with unless they are aborted before they start. */
const KINDS: readonly (readonly [exportName: string, changes: JobChanges, end: RegExp | null])[] = [
  ["nothing", {}, null],
  ["nothing", {}, null],
  ["nothing", { rawArgs: { text: "x".repeat(20_000) } }, null],
  ["nothing", { args: { at: new Date(0) } }, null],
  ["busyFor", { rawArgs: { ms: BUSY_MS } }, null],
  ["exitAfterReturning", {}, null],
  ["failAfterReturning", {}, null],
  ["exitAtOnce", {}, /exited with code 0/],
  ["endThread", { rawArgs: { way: "throw" } }, /^thrown later$/],
  ["endThread", { rawArgs: { way: "exit later" } }, /exited with code 4/],
  ["failWhenAborted", {}, /^stop$/],
  ["spinForEver", {}, /exited with code 1/],
];

/** An attempt that is aborted may end as if it had not been, when its handler was faster. */
async function assertEnd({ end }: Started, expected: RegExp | null, reason: Error | null): Promise<void> {
  const found = await end;
  if (reason !== null && (found === reason || found === undefined)) return;
  if (expected === null && reason === null) assert.equal(found, undefined);
  else {
    assert.ok(found instanceof WorkerThreadHandlerError);
    const ends = reason === null ? [expected] : [expected, /^stop$/, /exited with code/];
    assert.ok(
      ends.some((pattern) => pattern?.test(found.message) === true),
      found.message,
    );
  }
}

async function runAtRandom(t: TestContext, random: () => number): Promise<void> {
  const maxThreads = 1 + Math.floor(random() * 3);
  const { start, executor } = threads(t, { maxThreads });
  const ends: Promise<void>[] = [];
  for (let n = 0; n < 60; n++) {
    const kind = KINDS[Math.floor(random() * KINDS.length)];
    assert.ok(kind !== undefined);
    const [exportName, changes, expected] = kind;
    const attempt = start(exportName, changes, crashers);
    const needsAbort = exportName === "failWhenAborted" || exportName === "spinForEver";
    const isShort = exportName === "busyFor" || exportName === "spinForEver";
    const reason = needsAbort || random() < (isShort ? 0.5 : 0.1) ? new Error("stop") : null;
    if (reason !== null) {
      // Some when they run, some when another has ended, some at once.
      const when =
        needsAbort && random() < 0.7
          ? attempt.begun()
          : random() < 0.5 && ends.length > 0
            ? Promise.race(ends.slice(-8))
            : Promise.resolve();
      const milliseconds = isShort ? 1 + random() * BUSY_MS : 20_000;
      void when.then(() => attempt.abort(reason, { milliseconds: Math.ceil(milliseconds) }));
    }
    ends.push(assertEnd(attempt, expected, reason));
    assert.ok(executor.diagnostics().totalThreads <= maxThreads);
    if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    if (random() < 0.1) await Promise.race(ends);
  }
  await Promise.all(ends);
  const after = await Promise.all(Array.from({ length: 2 * maxThreads }, () => start("nothing", {}, crashers).end));
  assert.ok(after.every((end) => end === undefined));
  const { activeThreads, pendingTasks, totalThreads } = executor.diagnostics();
  assert.deepEqual([activeThreads, pendingTasks], [0, 0]);
  assert.ok(totalThreads <= maxThreads);
}

const RUNS = testScale > 1 ? 3 : 50;
for (let run = 1; run <= RUNS; run++) {
  test(`WT-50 WT-53 WT-54 WT-74 whatever threads die of and clients abort, every attempt ends as its own: run ${run}`, (t) =>
    runAtRandom(t, seededRandom("posting", run)));
}
