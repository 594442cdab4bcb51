/** Resumable steps inside attempts: when progress is stored, and what a retry makes of it. */
import assert from "node:assert/strict";
import test from "node:test";
import { discard, snooze } from "../../src/work/outcome.ts";
import type { WorkHandler } from "../../src/work/work-handler.ts";
import { AttemptHarness, claimed, errorOf, metadataOf, type sample, summaryOf } from "./testdata/attempt-harness.ts";

type Handler = WorkHandler<typeof sample, unknown>;

const STEP = "river:resumable_step";
const CURSOR = "river:resumable_cursor";

/** Finishes a step, sets a cursor in the next and then ends as told. */
const stepping =
  (end: (signal: AbortSignal) => ReturnType<Handler>): Handler =>
  async ({ resumable, signal }) => {
    await resumable.step("first", () => {});
    await resumable.stepWithCursor("second", () => {
      resumable.setCursor(4);
    });
    await resumable.step("third", () => {});
    return end(signal);
  };

test("a completed job stores no progress", async () => {
  const end = await new AttemptHarness().handle(stepping(() => {})).run();
  assert.equal(end.eventKind, "job_completed");
  assert.equal(end.settlement.metadata, null);
});

test("F-06: errors, runtime faults, snoozes, discards and interruptions store the progress", async () => {
  const failing: readonly ((signal: AbortSignal) => ReturnType<Handler>)[] = [
    () => Promise.reject(new Error("boom")),
    () => Promise.reject(new TypeError("fault")),
    () => snooze({ seconds: 1 }),
    () => discard(),
    (signal) => signal.throwIfAborted(),
  ];
  for (const end of failing) {
    const attempt = new AttemptHarness().handle(stepping(end)).start();
    attempt.interrupt();
    const { [STEP]: step, ...others } = metadataOf(await attempt.end) ?? {};
    assert.equal(step, "third");
    assert.equal(CURSOR in others, false);
  }
});

const stoppingInFirst: Handler = async ({ resumable, signal }) => {
  await resumable.stepWithCursor("only", () => {
    resumable.setCursor(4);
    signal.throwIfAborted();
  });
};

/** Sets a cursor in its only step, which fails. */
const snoozingAfterFirst: Handler = async ({ resumable }) => {
  const failing = resumable.stepWithCursor("only", () => {
    resumable.setCursor(5);
    throw new Error("not yet");
  });
  await failing.catch(() => {});
  return snooze({ seconds: 0 });
};

test("a cursor of the first step is stored when the attempt is snoozed or interrupted", async () => {
  const attempt = new AttemptHarness().handle(stoppingInFirst).start();
  attempt.interrupt();
  const end = await attempt.end;
  assert.equal(end.eventKind, "job_interrupted");
  assert.deepStrictEqual(metadataOf(end), { [CURSOR]: { only: 4 } });
  const snoozed = await new AttemptHarness().handle(snoozingAfterFirst).run();
  assert.deepStrictEqual(metadataOf(snoozed), { [CURSOR]: { only: 5 }, snoozes: 1 });
});

test("a retry skips what was finished and fails when the stored step is gone", async () => {
  const metadata = `{"${STEP}":"first"}`;
  const ran: string[] = [];
  const harness = new AttemptHarness().handle(async ({ resumable }) => {
    for (const name of ["first", "second"]) await resumable.step(name, () => void ran.push(name));
  });
  assert.equal((await harness.run(claimed({ metadata }))).eventKind, "job_completed");
  assert.deepStrictEqual(ran, ["second"]);
  const without = new AttemptHarness().handle(() => {});
  assert.equal(
    errorOf(await without.run(claimed({ metadata })))?.error,
    'river: resumable step "first" not found in Worker',
  );
});

test("a step's error decides the attempt although the handler caught it", async () => {
  const harness = new AttemptHarness().handle(async ({ resumable }) => {
    await resumable.step("first", () => {});
    await resumable.step("second", () => Promise.reject(new Error("boom"))).catch(() => {});
  });
  const end = await harness.run();
  assert.deepStrictEqual(summaryOf(end), ["available", 1, "boom", "job_failed"]);
  assert.deepStrictEqual(metadataOf(end), { [STEP]: "first" });
});

test("stored cursors that are an array fail the attempt before the handler runs", async () => {
  const harness = new AttemptHarness().handle(() => assert.fail("must not run"));
  const end = await harness.run(claimed({ metadata: `{"${CURSOR}":[1]}` }));
  assert.equal(errorOf(end)?.error, "river: stored resumable cursors are an array instead of an object");
});

test("steps cannot be used after the attempt", async () => {
  const late: (() => Promise<void>)[] = [];
  const harness = new AttemptHarness().handle(({ resumable }) => {
    late.push(() => resumable.step("late", () => {}));
  });
  await harness.run();
  await assert.rejects(async () => late[0]?.(), { name: "JobAttemptFinishedError" });
});
