/** Smaller batches after repeated timeouts. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { BatchBreaker } from "../../src/maintenance/batch-breaker.ts";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";

const LIMIT_MS = 30_000;

function makeBreaker(): {
  breaker: BatchBreaker;
  fail: (afterMs: number, retryable?: boolean) => Promise<void>;
  clock: ManualClock;
} {
  const clock = new ManualClock();
  const breaker = new BatchBreaker(clock);
  const fail = async (afterMs: number, retryable = true): Promise<void> => {
    const error = new DatabaseOperationError("failed", { backend: "sqlite", operation: "jobs.promote", retryable });
    const statement = async (): Promise<never> => {
      await clock.advance(afterMs);
      throw error;
    };
    await assert.rejects(breaker.watch(LIMIT_MS, statement), error);
  };
  return { breaker, fail, clock };
}

test("three timeouts in a row reduce the batch for good", async () => {
  const { breaker, fail } = makeBreaker();
  await fail(LIMIT_MS);
  await fail(LIMIT_MS);
  assert.equal(breaker.limit, 10_000);
  await fail(LIMIT_MS);
  assert.equal(breaker.limit, 1000);
  assert.equal(await breaker.watch(LIMIT_MS, async () => "fine"), "fine");
  assert.equal(breaker.limit, 1000);
});

test("a success in between starts the count anew", async () => {
  const { breaker, fail } = makeBreaker();
  await fail(LIMIT_MS);
  await fail(LIMIT_MS);
  await breaker.watch(LIMIT_MS, async () => {});
  await fail(LIMIT_MS);
  await fail(LIMIT_MS);
  assert.equal(breaker.limit, 10_000);
});

for (const [apartMs, limit] of [
  [600_000, 1000],
  [600_001, 10_000],
]) {
  test(`three timeouts, the last ${apartMs} ms after the first, make batches of ${limit}`, async () => {
    const { breaker, fail, clock } = makeBreaker();
    await fail(LIMIT_MS);
    await fail(LIMIT_MS);
    await clock.advance(Number(apartMs) - 2 * LIMIT_MS);
    await fail(LIMIT_MS);
    assert.equal(breaker.limit, limit);
  });
}

test("failures before the limit, and those that no retry mends, are no timeouts", async () => {
  const { breaker, fail } = makeBreaker();
  for (let count = 0; count < 3; count++) {
    await fail(100);
    await fail(LIMIT_MS, false);
  }
  assert.equal(breaker.limit, 10_000);
});
