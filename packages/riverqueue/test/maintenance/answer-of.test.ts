/** Waiting for code of the application. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { answerOf } from "../../src/maintenance/answer-of.ts";

const never = (): Promise<never> => new Promise(() => {});

test("an answer, of either kind, is passed on and leaves no timer", async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  assert.equal(await answerOf(clock, signal, () => 5), 5);
  assert.equal(await answerOf(clock, signal, async () => 6), 6);
  await assert.rejects(
    answerOf(clock, signal, () => {
      throw new Error("thrown");
    }),
    { message: "thrown" },
  );
  assert.equal(clock.pending, 0);
});

test("the wait ends after 30 s", async () => {
  const clock = new ManualClock();
  const waiting = assert.rejects(answerOf(clock, new AbortController().signal, never), { name: "NoAnswerError" });
  await clock.advance(30_000);
  await waiting;
});

test("the wait ends with the term, also one that is over already", async () => {
  const clock = new ManualClock();
  const term = new AbortController();
  const waiting = assert.rejects(answerOf(clock, term.signal, never), { name: "NoAnswerError" });
  term.abort();
  await waiting;
  await assert.rejects(answerOf(clock, term.signal, never), { name: "NoAnswerError" });
  assert.equal(clock.pending, 0);
});
