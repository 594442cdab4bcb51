import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { RiverEvent } from "../../src/model/river-event.ts";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import { eventChannel, metricChannel, workChannel } from "../../src/runtime/diagnostics-channels.ts";
import { errorLog, removed, sampleHub } from "./testdata/sample-events.ts";

failOnLeaks();

const METRIC: RiverMetric = { name: "job_completion_requeued", count: 3 };

test("hooks get every event in order, apart from whoever emits it", async () => {
  const seen: string[] = [];
  const first = (event: RiverEvent): void => void seen.push(`first ${event.kind}`);
  const second = async (event: RiverEvent): Promise<void> => {
    await Promise.resolve();
    seen.push(`second ${event.kind}`);
  };
  const hub = sampleHub({ onEvent: [first, second] });
  hub.emit(removed("a"));
  assert.deepEqual(seen, []);
  hub.emit({ kind: "maintenance_succeeded", at: removed("").at, service: "rescuer", count: 1 });
  await hub.close();
  assert.deepEqual(seen, [
    "first queue_removed",
    "second queue_removed",
    "first maintenance_succeeded",
    "second maintenance_succeeded",
  ]);
});

test("a slow hook does not hold up subscriptions, and closing waits for it", async () => {
  const gate = Promise.withResolvers<void>();
  const seen: RiverEvent[] = [];
  const slow = async (event: RiverEvent): Promise<void> => {
    await gate.promise;
    seen.push(event);
  };
  const hub = sampleHub({ onEvent: [slow] });
  const events = hub.subscribe();
  for (const name of ["a", "b", "c"]) hub.emit(removed(name));
  assert.equal((await events.next()).done, false);
  let closed = false;
  const closing = hub.close().then(() => (closed = true));
  await new Promise(setImmediate);
  assert.equal(closed, false);
  assert.equal(hub.wanted("queue_removed"), true);
  gate.resolve();
  await closing;
  assert.equal(seen.length, 3);
});

test("an event that a hook causes is delivered too before closing ends", async () => {
  const seen: string[] = [];
  const hub = sampleHub({
    onEvent: [
      (event) => {
        if (event.kind !== "queue_removed") return;
        seen.push(event.queueName);
        if (event.queueName === "a") hub.emit(removed("b"));
      },
    ],
  });
  hub.emit(removed("a"));
  await hub.close();
  assert.deepEqual(seen, ["a", "b"]);
});

test("hooks get 64 events in one turn of the event loop, so that other work has its turn between", async () => {
  const seen: RiverEvent[] = [];
  const turns: number[] = [];
  const hub = sampleHub({ onEvent: [(event) => void seen.push(event)] });
  for (let count = 0; count < 150; count++) hub.emit(removed(`${count}`));
  while (seen.length < 150) {
    await new Promise(setImmediate);
    turns.push(seen.length);
  }
  assert.deepEqual(turns, [64, 128, 150]);
});

test("hooks that fall too far behind lose the oldest events and are told", async () => {
  const seen: RiverEvent[] = [];
  const hub = sampleHub({ onEvent: [(event) => void seen.push(event)] });
  for (let count = 0; count < 10_003; count++) hub.emit(removed(`${count}`));
  await hub.close();
  assert.equal(seen.length, 10_001);
  assert.ok(seen[0]?.kind === "subscription_lag" && seen[0].dropped === 3);
  assert.ok(seen[1]?.kind === "queue_removed" && seen[1].queueName === "3");
});

test("hooks run outside the asynchronous context of whoever emits", async () => {
  const storage = new AsyncLocalStorage<string>();
  const contexts: (string | undefined)[] = [];
  const hub = sampleHub({ onEvent: [() => void contexts.push(storage.getStore())] });
  storage.run("an attempt", () => hub.emit(removed("a")));
  await hub.close();
  assert.deepEqual(contexts, [undefined]);
});

test("E05: a subscriber and hooks that fail on every event harm nobody, and failures are logged and counted", async () => {
  const { logger, errors } = errorLog();
  const seen: RiverEvent[] = [];
  const boom = new Error("boom");
  const hub = sampleHub(
    {
      onEvent: [
        () => {
          throw boom;
        },
        () => Promise.reject(boom),
        (event) => void seen.push(event),
      ],
      onMetric: [
        () => {
          throw boom;
        },
        () => Promise.reject(boom),
      ],
    },
    logger,
  );
  const healthy = hub.subscribe();
  const subscriber = (async () => {
    for await (const event of hub.subscribe()) throw new Error(event.kind);
  })();
  hub.emit(removed("a"));
  await assert.rejects(subscriber, /queue_removed/);
  hub.emit(removed("b"));
  hub.metric(METRIC);
  await hub.close();
  assert.equal(seen.length, 2);
  assert.equal((await Array.fromAsync(healthy)).length, 2);
  assert.equal(hub.hookFailures, 6);
  assert.equal(errors.length, 6);
  const byMessage = Map.groupBy(errors, ([, message]) => message);
  assert.deepEqual(
    byMessage.get("onEvent hook failed")?.map(([{ error, event, failures }]) => [error === boom, event, failures]),
    [1, 2, 3, 4].map((failures) => [true, "queue_removed", failures]),
  );
  assert.deepEqual(
    byMessage.get("onMetric hook failed")?.map(([{ error, metric }]) => [error === boom, metric]),
    [1, 2].map(() => [true, "job_completion_requeued"]),
  );
});

test("metric hooks run at once", () => {
  const seen: RiverMetric[] = [];
  const hub = sampleHub({ onMetric: [(metric) => void seen.push(metric)] });
  assert.equal(hub.metricsWanted, true);
  assert.equal(sampleHub().metricsWanted, false);
  hub.metric(METRIC);
  assert.deepEqual(seen, [METRIC]);
});

test("diagnostics channels get events and metrics", async (t) => {
  assert.equal(eventChannel.name, "riverqueue:event");
  assert.equal(metricChannel.name, "riverqueue:metric");
  assert.equal(workChannel.name, "riverqueue:work");
  const hub = sampleHub();
  assert.equal(hub.wanted("queue_removed"), false);
  const seen: unknown[] = [];
  const note = (message: unknown): void => void seen.push(message);
  for (const channel of [eventChannel, metricChannel]) {
    channel.subscribe(note);
    t.after(() => channel.unsubscribe(note));
  }
  assert.equal(hub.wanted("queue_removed"), true);
  assert.equal(hub.metricsWanted, true);
  const event = removed("a");
  hub.emit(event);
  hub.metric(METRIC);
  await hub.close();
  hub.emit(removed("late"));
  hub.metric(METRIC);
  assert.deepEqual(seen, [event, METRIC]);
  assert.equal(hub.wanted("queue_removed"), false);
  assert.equal(hub.metricsWanted, false);
});

test("a kind is wanted when a hook or a subscription would get it", () => {
  const hub = sampleHub();
  assert.equal(hub.wanted("job_started"), false);
  const some = hub.subscribe({ kinds: ["job_completed"] });
  assert.deepEqual([hub.wanted("job_started"), hub.wanted("job_completed")], [false, true]);
  const all = hub.subscribe();
  assert.equal(hub.wanted("job_started"), true);
  all.close();
  some.close();
  assert.equal(hub.wanted("job_completed"), false);
  assert.equal(sampleHub({ onEvent: [() => {}] }).wanted("job_started"), true);
});

test("listeners share an event that none of them can change", async () => {
  const hub = sampleHub();
  const events = hub.subscribe();
  hub.emit(removed("a"));
  const { value } = await events.next();
  assert.ok(value);
  assert.throws(() => Object.assign(value, { queueName: "b" }), TypeError);
});
