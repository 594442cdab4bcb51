/** The machine's clock and waiting by a clock. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { pause, systemClock } from "../../src/kit/clock.ts";
import { deferred } from "../../src/kit/deferred.ts";

failOnLeaks();

test("the machine's clock tells the time and runs timers", async () => {
  const before = Temporal.Now.instant();
  assert.ok(Temporal.Instant.compare(systemClock.now(), before) >= 0);
  const began = systemClock.monotonic();
  const fired = deferred<void>();
  systemClock.setTimer(() => fired.resolve(), 1);
  // Such timers keep no process alive.
  const alive = setInterval(() => {}, 1_000);
  await fired.promise;
  clearInterval(alive);
  assert.ok(systemClock.monotonic() >= began);
});

test("a cancelled timer does not run, and delays beyond Node's longest timer are waited out", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let runs = 0;
  const cancelled = systemClock.setTimer(() => runs++, 10);
  cancelled.cancel();
  const longest = 2_147_483_647;
  const set = t.mock.method(globalThis, "setTimeout");
  systemClock.setTimer(() => runs++, longest + 5);
  assert.equal(set.mock.calls[0]?.arguments[1], longest);
  t.mock.timers.tick(longest);
  assert.equal(runs, 0);
  t.mock.timers.tick(5);
  assert.equal(runs, 1);
  systemClock.setTimer(() => runs++, -5);
  t.mock.timers.tick(1);
  assert.equal(runs, 2);
});

test("pause ends after its time, or as soon as the signal aborts, and leaves nothing behind", async () => {
  const clock = new ManualClock();
  let done = false;
  const paused = pause(clock, 100).then(() => (done = true));
  await clock.advance(99);
  assert.equal(done, false);
  await clock.advance(1);
  await paused;

  const controller = new AbortController();
  const cut = pause(clock, 1_000, controller.signal);
  assert.equal(clock.pending, 1);
  controller.abort();
  await cut;
  assert.equal(clock.pending, 0);
  await pause(clock, 1_000, controller.signal);
  assert.equal(clock.pending, 0);
});
