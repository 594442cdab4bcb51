/** Remembered wake-ups. */
import assert from "node:assert/strict";
import test from "node:test";
import { Latch } from "../../src/kit/latch.ts";

test("a wake-up before the wait is remembered, once however often it came", async () => {
  const latch = new Latch();
  latch.set();
  latch.set();
  assert.ok(latch.isSet);
  await latch.wait();
  assert.equal(latch.isSet, false);
  let woken = false;
  const waiting = latch.wait().then(() => (woken = true));
  await new Promise(setImmediate);
  assert.equal(woken, false);
  latch.set();
  await waiting;
  assert.equal(latch.isSet, false);
});

test("an abort ends the wait, before it and during it", async () => {
  const latch = new Latch();
  const controller = new AbortController();
  const waiting = latch.wait(controller.signal);
  controller.abort();
  await waiting;
  await latch.wait(controller.signal);
});

test("a wake-up can be forgotten", async () => {
  const latch = new Latch();
  latch.set();
  latch.clear();
  assert.equal(latch.isSet, false);
});
