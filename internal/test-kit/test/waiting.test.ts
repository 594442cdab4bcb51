import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";
import { failOnLeaks, pollUntil, waitForEvent, waitForItem, withDeadline } from "@riverqueue/internal-test-kit";

failOnLeaks();

async function* count(last: number): AsyncGenerator<number> {
  for (let value = 1; value <= last; value++) yield value;
}

const never = (): Promise<never> => new Promise(() => {});

test("waits on one iterable continue each other, and its end is an error", async () => {
  const numbers = count(6);
  assert.equal(await waitForItem(numbers, (value) => value % 2 === 0), 2);
  assert.equal(await waitForItem(numbers, (value) => value % 2 === 0), 4);
  await assert.rejects(
    waitForItem(numbers, (value) => value > 10),
    /the source ended after 2, at last 6/,
  );
});

test("a wait in vain ends at its deadline and tells what came", async () => {
  async function* oneThenNothing(): AsyncGenerator<string> {
    yield "one";
    await never();
  }
  await assert.rejects(
    waitForItem(oneThenNothing(), (value) => value === "two", { deadlineMs: 1 }),
    /waited 1 ms in vain for an item; came 1, at last 'one'/,
  );
  await assert.rejects(withDeadline(never(), "nothing", { deadlineMs: 1 }), /in vain for nothing/);
  await assert.rejects(
    pollUntil(() => false, { deadlineMs: 1 }),
    /by polling for 1 ms/,
  );
});

test("an event is waited for on emitters and on event targets, by what it carries", async () => {
  const emitter = new EventEmitter();
  const second = waitForEvent(emitter, "tick", (value) => value === 2);
  emitter.emit("tick", 1);
  // The wait for the second event begins in a promise reaction to the first.
  setImmediate(() => emitter.emit("tick", 2));
  assert.deepEqual(await second, [2]);
  assert.equal(emitter.listenerCount("tick"), 0);

  const target = new EventTarget();
  const event = waitForEvent(target, "done");
  target.dispatchEvent(new Event("done"));
  assert.equal((await event).length, 1);
  await assert.rejects(waitForEvent(target, "done", undefined, { deadlineMs: 1 }), /in vain for event done/);
});

test("polling gives what the check found at last", async () => {
  let calls = 0;
  assert.equal(await pollUntil(() => (++calls === 3 ? "found" : null)), "found");
});
