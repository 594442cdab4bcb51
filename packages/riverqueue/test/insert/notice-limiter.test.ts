import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { NoticeLimiter } from "../../src/insert/notice-limiter.ts";

function queuesOf(limiter: NoticeLimiter, queues: readonly string[]): string[] {
  return limiter.noticesFor(queues).map(({ topic, payload }) => {
    assert.equal(topic, "river_insert");
    return (JSON.parse(payload) as { queue: string }).queue;
  });
}

test("JS-22 a queue is notified once per cool-down, whatever other queues do", async () => {
  const clock = new ManualClock();
  const limiter = new NoticeLimiter(clock, 100);
  assert.deepEqual(queuesOf(limiter, ["one", "two", "one"]), ["one", "two"]);
  await clock.advance(60);
  assert.deepEqual(queuesOf(limiter, ["one", "three"]), ["three"]);
  await clock.advance(40);
  assert.deepEqual(queuesOf(limiter, ["one"]), [], "exactly one cool-down later is still suppressed");
  await clock.advance(1);
  assert.deepEqual(queuesOf(limiter, ["one", "three"]), ["one"]);
});

test("a suppressed notice does not prolong the cool-down", async () => {
  const clock = new ManualClock();
  const limiter = new NoticeLimiter(clock, 100);
  limiter.noticesFor(["one"]);
  await clock.advance(99);
  assert.deepEqual(queuesOf(limiter, ["one"]), []);
  await clock.advance(2);
  assert.deepEqual(queuesOf(limiter, ["one"]), ["one"]);
});

test("JS-23 all who share a limiter share its turns", () => {
  const limiter = new NoticeLimiter(new ManualClock(), 100);
  const insertion = queuesOf(limiter, ["one"]);
  const promotion = queuesOf(limiter, ["one", "two"]);
  assert.deepEqual([insertion, promotion], [["one"], ["two"]]);
});

test("a limiter remembers a bounded number of queues and forgets the oldest", () => {
  const limiter = new NoticeLimiter(new ManualClock(), 60_000);
  const queues = Array.from({ length: 10_001 }, (_, index) => `queue${index}`);
  assert.equal(limiter.noticesFor(queues).length, 10_001);
  assert.deepEqual(queuesOf(limiter, ["queue1", "queue10000"]), []);
  assert.deepEqual(queuesOf(limiter, ["queue0"]), ["queue0"]);
});
