import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import test from "node:test";
import { failOnLeaks, sameInstant } from "@riverqueue/internal-test-kit";
import { SubscriptionLagError } from "../../src/model/errors/subscription-lag-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import type { RiverEvent } from "../../src/model/river-event.ts";
import { removed, sampleHub } from "./testdata/sample-events.ts";

failOnLeaks();

async function collect(events: AsyncIterable<RiverEvent>): Promise<string[]> {
  const names: string[] = [];
  for await (const event of events) {
    names.push(event.kind === "queue_removed" ? event.queueName : event.kind);
  }
  return names;
}

test("a subscription delivers the events since it was opened, in order", async () => {
  const hub = sampleHub();
  hub.emit(removed("before"));
  const events = hub.subscribe();
  for (const name of ["a", "b", "c"]) hub.emit(removed(name));
  await hub.close();
  assert.deepEqual(await collect(events), ["a", "b", "c"]);
});

test("reads that wait get the next events in their order", async () => {
  const hub = sampleHub();
  const events = hub.subscribe();
  const reads = [events.next(), events.next(), events.next()];
  hub.emit(removed("a"));
  hub.emit(removed("b"));
  await hub.close();
  const results = await Promise.all(reads);
  assert.deepEqual(
    results.map(({ done, value }) => (done ? "done" : value.kind === "queue_removed" && value.queueName)),
    ["a", "b", "done"],
  );
});

test("kinds filter events", async () => {
  const hub = sampleHub();
  const some = hub.subscribe({ kinds: ["leader_lost"] });
  const none = hub.subscribe({ kinds: [] });
  hub.emit(removed("a"));
  const leader = { leaderId: "c", electedAt: removed("").at, expiresAt: removed("").at };
  hub.emit({ kind: "leader_lost", at: removed("").at, leader });
  await hub.close();
  assert.deepEqual(await collect(some), ["leader_lost"]);
  assert.deepEqual(await collect(none), []);
});

test("a slow reader loses the oldest events and is told how many, first and once", async () => {
  const hub = sampleHub();
  const events = hub.subscribe({ kinds: ["queue_removed"], capacity: 2 });
  for (const name of ["a", "b", "c", "d", "e"]) hub.emit(removed(name));
  const { value: lag } = await events.next();
  assert.equal(lag?.kind, "subscription_lag");
  assert.equal(lag.dropped, 3);
  assert.ok(lag.error instanceof SubscriptionLagError);
  assert.equal(lag.error.dropped, 3);
  sameInstant(lag.at, "2026-01-02T03:04:05.678Z");
  assert.equal((await events.next()).value?.kind, "queue_removed");
  for (const name of ["f", "g"]) hub.emit(removed(name));
  await hub.close();
  assert.deepEqual(await collect(events), ["subscription_lag", "f", "g"]);
});

test("by default 256 events wait", async () => {
  const hub = sampleHub();
  const events = hub.subscribe();
  for (let count = 0; count < 256; count++) hub.emit(removed(`${count}`));
  const full = hub.subscribe();
  for (let count = 0; count < 257; count++) hub.emit(removed(`${count}`));
  await hub.close();
  const [first, second] = [await collect(events), await collect(full)];
  assert.deepEqual([first[0], first[1], first.length], ["subscription_lag", "1", 257]);
  assert.deepEqual([second[0], second[1], second.at(-1), second.length], ["subscription_lag", "1", "256", 257]);
});

test("a subscription of capacity one works", async () => {
  const hub = sampleHub();
  const events = hub.subscribe({ capacity: 1 });
  for (const name of ["a", "b", "c"]) hub.emit(removed(name));
  await hub.close();
  assert.deepEqual(await collect(events), ["subscription_lag", "c"]);
});

test("leaving a loop, closing and disposing end a subscription", async () => {
  const hub = sampleHub();
  const left = hub.subscribe();
  hub.emit(removed("a"));
  hub.emit(removed("b"));
  for await (const event of left) {
    assert.equal(event.kind, "queue_removed");
    break;
  }
  assert.deepEqual(await left.next(), { done: true, value: undefined });

  const closed = hub.subscribe();
  hub.emit(removed("c"));
  const { done } = await closed.next();
  const waiting = closed.next();
  closed.close();
  closed.close();
  assert.deepEqual([done, (await waiting).done, (await closed.next()).done], [false, true, true]);

  const disposed = hub.subscribe();
  {
    using events = disposed;
    hub.emit(removed("d"));
    assert.equal(events[Symbol.asyncIterator](), disposed);
  }
  assert.equal((await disposed.next()).done, true);
  const asyncDisposed = hub.subscribe();
  {
    await using _events = asyncDisposed;
  }
  assert.equal((await asyncDisposed.next()).done, true);
  assert.equal(hub.wanted("queue_removed"), false);
});

test("an abort signal ends a subscription and is let go of afterwards", async () => {
  const hub = sampleHub();
  const stop = new AbortController();
  const events = hub.subscribe({ signal: stop.signal });
  const ended = hub.subscribe({ signal: stop.signal });
  ended.close();
  assert.equal(getEventListeners(stop.signal, "abort").length, 1);
  hub.emit(removed("a"));
  stop.abort();
  assert.deepEqual(await collect(events), []);
  assert.deepEqual(await collect(hub.subscribe({ signal: stop.signal })), []);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  assert.equal(hub.wanted("queue_removed"), false);
});

test("a closed hub opens ended subscriptions and takes no events", async () => {
  const hub = sampleHub();
  const events = hub.subscribe();
  await hub.close();
  hub.emit(removed("a"));
  assert.deepEqual(await collect(events), []);
  assert.deepEqual(await collect(hub.subscribe()), []);
  await hub.close();
});

test("bad options are refused with their paths", () => {
  const hub = sampleHub();
  const bad: [options: unknown, message: RegExp][] = [
    [null, /^options must be an object$/],
    [{ kind: [] }, /^kind is not an option; did you mean kinds\?$/],
    [{ kinds: "job_failed" }, /^kinds must be an array$/],
    [{ kinds: ["job_failed", "job_complete"] }, /^kinds\[1\] is no event kind; did you mean job_completed\?$/],
    [{ kinds: [7] }, /^kinds\[0\] must be an event kind$/],
    [{ capacity: 0 }, /^capacity must be an integer from 1 to 1000000$/],
    [{ capacity: 1.5 }, /^capacity/],
    [{ capacity: 1_000_001 }, /^capacity/],
    [{ capacity: "256" }, /^capacity/],
    [{ signal: {} }, /^signal must be an AbortSignal$/],
    [{ capacity: 0, signal: 1 }, /^capacity .*; signal /],
  ];
  for (const [options, message] of bad) {
    assert.throws(() => hub.subscribe(options as object), { name: "ValidationError", code: "validation", message });
  }
  assert.throws(() => hub.subscribe({ capacity: -1 }), ValidationError);
});
