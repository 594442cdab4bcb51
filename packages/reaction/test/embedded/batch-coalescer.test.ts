import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { BatchCoalescer } from "../../src/embedded/batch-coalescer.ts";
import type { MessageVerdict, ReceivedMessage } from "../../src/queues/batch-marks.ts";

failOnLeaks();

const ACK: MessageVerdict = { type: "ack" };
const message = (id: string): ReceivedMessage => ({ id, timestamp: new Date(0), attempts: 1, body: id });
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("when the last one that waits for a batch has gone, nothing is left that keeps the process alive", async () => {
  const before = timers();
  const batches: string[][] = [];
  const queue = { batchSize: 3, batchTimeoutMs: 60_000, maxConcurrency: 1 };
  const coalescer = new BatchCoalescer(queue, (batch) => {
    batches.push(batch.map(({ id }) => id));
    return Promise.resolve(batch.map(() => ACK));
  });
  const stop = new AbortController();
  const waiting = ["a", "b"].map((id) => coalescer.add(message(id), stop.signal));
  assert.equal(timers(), before + 1);
  const reason = new Error("the client stops");
  stop.abort(reason);
  for (const each of waiting) await assert.rejects(each, (error) => error === reason);
  assert.deepEqual([timers(), coalescer.isIdle], [before, true]);
  const { signal } = new AbortController();
  assert.deepEqual(await Promise.all(["c", "d", "e"].map((id) => coalescer.add(message(id), signal))), [ACK, ACK, ACK]);
  assert.deepEqual(batches, [["c", "d", "e"]]);
});

test("one that leaves keeps the time of those that go on waiting", async () => {
  const queue = { batchSize: 3, batchTimeoutMs: 20, maxConcurrency: 1 };
  const coalescer = new BatchCoalescer(queue, (batch) => Promise.resolve(batch.map(() => ACK)));
  const stop = new AbortController();
  const leaving = coalescer.add(message("a"), stop.signal);
  const staying = coalescer.add(message("b"), new AbortController().signal);
  stop.abort(new Error("cancelled"));
  await assert.rejects(leaving, { message: "cancelled" });
  assert.deepEqual(await staying, ACK);
});
