import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock, sameInstant } from "@riverqueue/internal-test-kit";

test("time passes only by advance, for all readings alike", async () => {
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  assert.equal(clock.monotonic(), 0);
  await clock.advance(1500.25);
  assert.equal(clock.monotonic(), 1500.25);
  sameInstant(clock.now(), "2026-01-01T00:00:01.50025Z");
});

test("due timers run in the order of their times, each at its own time, those that they set included", async () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  const note = (name: string): void => void ran.push(`${name} at ${clock.monotonic()}`);
  clock.setTimer(() => note("b"), 20);
  clock.setTimer(() => note("c"), 20);
  clock.setTimer(() => {
    note("a");
    clock.setTimer(() => note("from a"), 5);
  }, 10);
  clock.setTimer(() => note("late"), 31);
  clock.setTimer(() => note("cancelled"), 1).cancel();
  assert.deepEqual([clock.pending, clock.nextDelayMs], [4, 10]);
  await clock.advance(30);
  assert.deepEqual(ran, ["a at 10", "from a at 15", "b at 20", "c at 20"]);
  assert.deepEqual([clock.pending, clock.nextDelayMs], [1, 1]);
});

test("what a timer wakes has run before the next timer does", async () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  const woken = new Promise<void>((resolve) => clock.setTimer(resolve, 1))
    .then(() => Promise.resolve())
    .then(() => ran.push("woken"));
  clock.setTimer(() => ran.push("next"), 2);
  await clock.advance(2);
  await woken;
  assert.deepEqual(ran, ["woken", "next"]);
});

test("whenPending resolves as soon as enough timers are set", async () => {
  const clock = new ManualClock();
  const reached = clock.whenPending(2).then(() => clock.pending);
  clock.setTimer(() => {}, 1);
  clock.setTimer(() => {}, 1);
  assert.equal(await reached, 2);
  await clock.whenPending(1);
});

test("an error of a timer is the error of advance", async () => {
  const clock = new ManualClock();
  clock.setTimer(() => {
    throw new Error("from the timer");
  }, 5);
  await assert.rejects(clock.advance(5), /from the timer/);
});
