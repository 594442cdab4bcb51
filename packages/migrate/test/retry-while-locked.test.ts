import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { DatabaseOperationError } from "riverqueue/driver";
import { retryWhileLocked } from "../src/retry-while-locked.ts";

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

test("a locked attempt is made again, after pauses that grow from 4 to 50 ms and are up to half as long by chance", async (t) => {
  const chances = [0, 1, 1, 1, 1, 1, 1, 0, 0];
  t.mock.method(Math, "random", () => chances.shift());
  const time = fakeTime();
  let attempts = 0;
  const result = await retryWhileLocked(async () => {
    if (++attempts < 10) throw locked;
    return "done";
  }, time);
  assert.equal(result, "done");
  assert.deepEqual(time.pauses, [2, 8, 16, 32, 50, 50, 50, 25, 25]);
});

test("a lock that stays is reported when the time is up, and any other error at once", async () => {
  const time = fakeTime();
  await assert.rejects(
    retryWhileLocked(() => Promise.reject(locked), time),
    (error) => error === locked,
  );
  assert.ok(time.monotonic() >= 60_000 && time.monotonic() <= 60_050, `${time.monotonic()}`);

  const other = new DatabaseOperationError("full", { backend: "sqlite", operation: "migrate" });
  const fresh = fakeTime();
  await assert.rejects(
    retryWhileLocked(() => Promise.reject(other), fresh),
    (error) => error === other,
  );
  assert.deepEqual(fresh.pauses, []);
});
