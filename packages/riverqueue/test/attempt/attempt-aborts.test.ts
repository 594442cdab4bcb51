/** Cancellation, timeout and shutdown as a running handler meets them. */
import assert from "node:assert/strict";
import test from "node:test";
import { deferred } from "../../src/kit/deferred.ts";
import { JobStuckError } from "../../src/model/errors/job-stuck-error.ts";
import { AttemptAbort } from "../../src/runtime/attempt-abort.ts";
import { currentWorkContext } from "../../src/work/current-work-context.ts";
import { complete, snooze } from "../../src/work/outcome.ts";
import type { WorkHandler } from "../../src/work/work-handler.ts";
import { AttemptHarness, claimed, errorOf, type sample, summaryOf } from "./testdata/attempt-harness.ts";

/** Waits for the abort and throws its reason. */
const untilAborted: WorkHandler<typeof sample, unknown> = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** Starts an attempt whose handler is running when this resolves. */
async function running(harness: AttemptHarness, record = claimed()): Promise<ReturnType<AttemptHarness["start"]>> {
  const attempt = harness.start(record);
  await new Promise((resolve) => setImmediate(resolve));
  return attempt;
}

test("JS-50: a handler has one signal, the same whenever it asks", async () => {
  const harness = new AttemptHarness().handle((context) => {
    assert.equal(context.signal, context.signal);
    assert.equal(context.signal.aborted, false);
  });
  assert.equal((await harness.run()).eventKind, "job_completed");
});

test("JS-52: a cancellation aborts the signal with JobCancelledError", async () => {
  const reasons: unknown[] = [];
  const harness = new AttemptHarness().handle(async (context) => {
    await Promise.resolve(untilAborted(context)).catch((reason: Error) => reasons.push(reason.name));
    context.signal.throwIfAborted();
  });
  const attempt = await running(harness);
  attempt.cancel();
  attempt.cancel();
  assert.deepStrictEqual(summaryOf(await attempt.end), [
    "cancelled",
    1,
    "JobCancelError: job cancelled remotely",
    "job_cancelled",
  ]);
  assert.deepStrictEqual(reasons, ["JobCancelledError"]);
});

for (const cause of ["cancellation", "shutdown", "timeout"] as const) {
  test(`JS-13: a ${cause} reaches a handler by its signal alone: one that does not look goes on, and its result counts`, async () => {
    const gate = deferred<void>();
    const signals: AbortSignal[] = [];
    const harness = new AttemptHarness().handle(async ({ signal }) => {
      signals.push(signal);
      await gate.promise;
    });
    const attempt = await running(harness);
    let ended = false;
    void attempt.end.then(() => (ended = true));
    if (cause === "cancellation") attempt.cancel();
    else if (cause === "shutdown") attempt.interrupt();
    else await harness.clock.advance(60_000);
    assert.equal(signals[0]?.aborted, true);
    await harness.clock.advance(3_600_000);
    assert.equal(ended, false, "nothing else ends it, however long it takes");
    gate.resolve();
    assert.deepStrictEqual(summaryOf(await attempt.end), ["completed", 1, null, "job_completed"]);
  });
}

test("what comes when the result is known is no cause any more", () => {
  const abort = new AttemptAbort();
  abort.decide();
  abort.cancel(7n);
  abort.abort("timeout", new Error("late"));
  assert.deepStrictEqual([abort.first, abort.cancelled, abort.signal.aborted], [null, null, false]);
});

test("a cancellation that comes while the error handler looks at a failure changes nothing, not even the signal", async () => {
  const asked = deferred<void>();
  const answer = deferred<void>();
  const seen = deferred<AbortSignal>();
  const harness = new AttemptHarness({
    errorHandler: () => {
      asked.resolve();
      return answer.promise;
    },
  }).handle(({ signal }) => {
    seen.resolve(signal);
    throw new Error("boom");
  });
  const attempt = harness.start();
  await asked.promise;
  attempt.cancel();
  const signal = await seen.promise;
  assert.equal(signal.aborted, false);
  answer.resolve();
  assert.deepStrictEqual(summaryOf(await attempt.end), ["available", 1, "boom", "job_failed"]);
  assert.equal((signal.reason as Error).name, "JobAttemptFinishedError");
});

test("C16 A: a shutdown gives back the attempt of a handler that stops", async () => {
  const harness = new AttemptHarness().handle(untilAborted);
  const attempt = await running(harness, claimed({ maxAttempts: 1 }));
  attempt.interrupt();
  const end = await attempt.end;
  assert.deepStrictEqual(summaryOf(end), ["available", 0, null, "job_interrupted"]);
  assert.equal(end.error, undefined);
});

test("C16 B: a handler that ignores the shutdown and returns completes its job", async () => {
  const gate = deferred<void>();
  const harness = new AttemptHarness().handle(() => gate.promise);
  const attempt = await running(harness, claimed({ maxAttempts: 1 }));
  attempt.interrupt();
  gate.resolve();
  assert.deepStrictEqual(summaryOf(await attempt.end), ["completed", 1, null, "job_completed"]);
});

test("C16 C: another error after the shutdown counts", async () => {
  const harness = new AttemptHarness().handle((context) =>
    Promise.resolve(untilAborted(context)).catch(() => {
      throw new Error("half done");
    }),
  );
  const attempt = await running(harness, claimed({ maxAttempts: 1 }));
  attempt.interrupt();
  assert.deepStrictEqual(summaryOf(await attempt.end), ["discarded", 1, "half done", "job_failed"]);
});

test("JS-54: the timeout aborts the signal and is the error of a handler that stops", async () => {
  const harness = new AttemptHarness().handle(untilAborted);
  const attempt = await running(harness);
  await harness.clock.advance(59_999);
  await harness.clock.advance(1);
  const end = await attempt.end;
  assert.equal(errorOf(end)?.error, "job 7 exceeded its timeout of PT1M");
  assert.equal((end.error as Error).name, "JobTimeoutError");
});

test("a worker's timeout takes the place of the client's, and null disables it", async () => {
  const harness = new AttemptHarness().handle(untilAborted, { timeout: { seconds: 2 } });
  const attempt = await running(harness);
  await harness.clock.advance(2_000);
  assert.match(errorOf(await attempt.end)?.error ?? "", /timeout of PT2S/);

  const endless = new AttemptHarness().handle(untilAborted, { timeout: null });
  const patient = await running(endless);
  assert.equal(endless.clock.pending, 0);
  patient.interrupt();
  await patient.end;
});

test("a timeout counts from the handler's start, not from that of a hook before it", async () => {
  const gate = deferred<void>();
  const harness = new AttemptHarness({ hooks: { beforeWork: () => gate.promise } }).handle(untilAborted);
  const attempt = await running(harness);
  await harness.clock.advance(100_000);
  gate.resolve();
  await harness.clock.advance(59_999);
  attempt.interrupt();
  assert.equal((await attempt.end).eventKind, "job_interrupted");
});

test("JS-108: a cancellation outranks a timeout that came first", async () => {
  const harness = new AttemptHarness().handle(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await gate.promise;
    return snooze({ seconds: 1 });
  });
  const gate = deferred<void>();
  const attempt = await running(harness);
  await harness.clock.advance(60_000);
  attempt.cancel();
  gate.resolve();
  assert.equal((await attempt.end).eventKind, "job_cancelled");
});

test("JS-102: after the stuck threshold an attempt is reported once, and its slot is released when asked for", async () => {
  const gate = deferred<void>();
  const asked: unknown[] = [];
  const harness = new AttemptHarness({
    jobStuckThresholdMs: 2_500,
    stuckHandler: async (params) => {
      asked.push(params);
      return { addWorkerSlot: true };
    },
  }).handle(() => gate.promise);
  const attempt = await running(harness);
  attempt.interrupt();
  await harness.clock.advance(62_499);
  assert.deepStrictEqual(asked, []);
  await harness.clock.advance(1);
  assert.deepStrictEqual(asked, [{ id: 7n, kind: "sample", queue: "default", totalStuckJobs: 1 }]);
  assert.deepStrictEqual(harness.released, [attempt]);
  const event = harness.events.find(({ kind }) => kind === "job_stuck");
  assert.ok(event?.kind === "job_stuck" && event.error instanceof JobStuckError);
  assert.equal(event.error.threshold.toString(), "PT2.5S");
  await harness.clock.advance(100_000);
  gate.resolve();
  assert.equal((await attempt.end).eventKind, "job_completed");
  assert.deepStrictEqual(
    harness.logged.map(({ level, message }) => [level, message]),
    [
      ["warn", "a job is stuck: it runs on after its timeout"],
      ["info", "a job that was stuck has ended"],
    ],
  );
});

test("stuck attempts are counted over all queues, and one that ends counts no more", async () => {
  const totals: number[] = [];
  const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
  const harness = new AttemptHarness({ stuckHandler: ({ totalStuckJobs }) => void totals.push(totalStuckJobs) });
  harness.handle(({ job }) => gates[Number(job.id)]?.promise);
  const attempts = [];
  for (const id of [0n, 1n]) attempts.push(await running(harness, claimed({ id, queue: `q${id}` })));
  await harness.clock.advance(70_000);
  gates[0]?.resolve();
  await attempts[0]?.end;
  attempts.push(await running(harness, claimed({ id: 2n })));
  await harness.clock.advance(70_000);
  assert.deepStrictEqual(totals, [1, 2, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(attempts.map(({ end }) => end));
});

test("a stuck handler that throws, or answers what is no answer, is logged and changes nothing", async () => {
  const handlers: readonly (readonly [() => unknown, RegExp])[] = [
    [() => Promise.reject(new Error("no")), /^no$/],
    [
      () => ({ addWorkerslot: true }),
      /^stuckHandler\(\)\.addWorkerslot is not an option; did you mean addWorkerSlot\?$/,
    ],
    [() => true, /^stuckHandler\(\) must be an object$/],
  ];
  for (const [stuckHandler, message] of handlers) {
    const gate = deferred<void>();
    const harness = new AttemptHarness({ stuckHandler: stuckHandler as never }).handle(() => gate.promise);
    const attempt = await running(harness);
    await harness.clock.advance(70_000);
    assert.deepStrictEqual(harness.released, []);
    const logged = harness.logged.filter(({ level }) => level === "error");
    assert.deepStrictEqual(
      logged.map(({ attributes }) => message.test((attributes["error"] as Error).message)),
      [true],
    );
    gate.resolve();
    await attempt.end;
  }
});

test("C14 (b): a cancellation before the handler starts shows in its signal, and its success stands", async () => {
  const gate = deferred<void>();
  const aborted: boolean[] = [];
  const harness = new AttemptHarness({ hooks: { beforeWork: () => gate.promise } }).handle(({ signal }) => {
    aborted.push(signal.aborted);
    return complete();
  });
  const attempt = await running(harness);
  attempt.cancel();
  gate.resolve();
  assert.equal((await attempt.end).eventKind, "job_completed");
  const throwing = new AttemptHarness().handle(({ signal }) => {
    aborted.push(signal.aborted);
    signal.throwIfAborted();
  });
  assert.equal((await throwing.start(claimed(), true).end).eventKind, "job_cancelled");
  assert.deepStrictEqual(aborted, [true, true]);
});

test("after the end the signal aborts with JobAttemptFinishedError, and aborts do nothing any more", async () => {
  const signals: AbortSignal[] = [];
  const late: (() => AbortSignal)[] = [];
  const harness = new AttemptHarness().handle((context) => {
    if (context.job.id === 7n) signals.push(context.signal);
    late.push(() => context.signal);
  });
  const attempt = harness.start();
  await attempt.end;
  await harness.run(claimed({ id: 8n }));
  for (const signal of [...signals, ...late.map((look) => look())]) {
    assert.equal((signal.reason as Error).name, "JobAttemptFinishedError");
  }
  attempt.cancel();
  attempt.interrupt();
  assert.equal((await attempt.end).eventKind, "job_completed");
  await harness.clock.advance(200_000);
  assert.ok(!harness.events.some(({ kind }) => kind === "job_stuck"));
});

test("abort listeners run in the context of their own attempt, whoever aborts it", async () => {
  const seen: (readonly [bigint, bigint])[] = [];
  const harness = new AttemptHarness().handle((context) => {
    context.signal.addEventListener("abort", () => seen.push([context.job.id, currentWorkContext().job.id]));
    return untilAborted(context);
  });
  const attempts = [];
  for (const id of [1n, 2n, 3n]) attempts.push(await running(harness, claimed({ id })));
  attempts[2]?.cancel();
  await harness.clock.advance(60_000);
  await Promise.all(attempts.map(({ end }) => end));
  assert.deepStrictEqual(seen, [
    [3n, 3n],
    [1n, 1n],
    [2n, 2n],
  ]);
});

test("many attempts share one timer, and each times out at its own time", async () => {
  const harness = new AttemptHarness().handle(untilAborted);
  const ended: bigint[] = [];
  for (const id of [1n, 2n, 3n]) {
    const attempt = await running(harness, claimed({ id }));
    void attempt.end.then(() => ended.push(id));
    assert.equal(harness.clock.pending, 1);
    await harness.clock.advance(10_000);
  }
  await harness.clock.advance(30_000);
  assert.deepStrictEqual(ended, [1n]);
  await harness.clock.advance(10_000);
  assert.deepStrictEqual(ended, [1n, 2n]);
  await harness.clock.advance(10_000);
  assert.deepStrictEqual(ended, [1n, 2n, 3n]);
});
