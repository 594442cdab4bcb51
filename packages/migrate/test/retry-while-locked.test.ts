import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { DatabaseOperationError } from "riverqueue/driver";
import { LOCK_WAIT_MS, retryWhileLocked } from "../src/retry-while-locked.ts";

failOnLeaks();

const locked = new DatabaseOperationError("locked", { backend: "sqlite", operation: "migrate", retryable: true });

/** Time that passes only in pauses. */
function fakeTime(): { monotonic(): number; pause(ms: number): Promise<void>; pauses: number[] } {
  let now = 0;
  const pauses: number[] = [];
  return {
    pauses,
    monotonic: () => now,
    async pause(ms) {
      pauses.push(ms);
      now += ms;
    },
  };
}

test("a locked attempt is made again, after pauses that grow to 50 ms", async () => {
  const time = fakeTime();
  let attempts = 0;
  const result = await retryWhileLocked(async () => {
    if (++attempts < 10) throw locked;
    return "done";
  }, time);
  assert.equal(result, "done");
  assert.equal(time.pauses.length, 9);
  assert.ok((time.pauses[0] ?? Infinity) <= 4);
  for (const ms of time.pauses.slice(4)) assert.ok(ms >= 25 && ms <= 50, `${ms}`);
});

test("a lock that stays is reported when the time is up, and any other error at once", async () => {
  const time = fakeTime();
  await assert.rejects(
    retryWhileLocked(() => Promise.reject(locked), time),
    (error) => error === locked,
  );
  assert.ok(time.monotonic() >= LOCK_WAIT_MS);

  const other = new DatabaseOperationError("full", { backend: "sqlite", operation: "migrate" });
  const fresh = fakeTime();
  await assert.rejects(
    retryWhileLocked(() => Promise.reject(other), fresh),
    (error) => error === other,
  );
  assert.deepEqual(fresh.pauses, []);
});
