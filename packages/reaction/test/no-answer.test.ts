// What is asked and never answers: alert handlers, stores, queues. Nothing waits for it for ever, and nothing is repeated.
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, type NewEvent, type ReactionOptions, type ReactionStore } from "@riverqueue/reaction";
import { createTimedReaction, openHomeEntry } from "@riverqueue/reaction/home";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy, type Work } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";
import { VirtualTime } from "./testdata/virtual-time.ts";

failOnLeaks();

const order = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });
const queueCtx = testCtx({ entry: "queue" });

type Store = ReactionStore<DatabaseSync>;
type Instead = Partial<Record<keyof Store, unknown>>;

const never = (): Promise<never> => new Promise(() => {});

/** An event with one async command, and a process to work it, in which time passes while nothing answers. */
async function subject(
  t: TestContext,
  options: Partial<ReactionOptions<DatabaseSync>> & {
    readonly instead?: (store: Store, time: VirtualTime) => Instead;
    readonly work?: Work;
  } = {},
) {
  const { instead = () => ({}), work, ...given } = options;
  let at = Date.now();
  const opened = await openSqliteHome(t, { now: () => new Date(at) });
  const { parts } = opened.home;
  const time = new VirtualTime();
  const commands = orderCommands(work === undefined ? {} : { send: work });
  const { codes, alerts } = alertCodes();
  const common = { policies: [orderPolicy(commands.send)], ...parts, alerts };
  const reaction = createTimedReaction(
    {
      ...common,
      store: time.watch(parts.store, instead(parts.store, time)),
      keyValue: time.watch(parts.keyValue),
      ...given,
    },
    time,
  );
  const sound = createReaction(common);
  const emitted = async () => (await sound.processor.emit(testCtx(), order)).event?.id ?? "";
  return { ...opened, ...commands, codes, sound, reaction, time, emitted, advance: (ms: number) => (at += ms) };
}

test("an alert handler that never ends keeps no command running and no slot taken", async (t) => {
  let failures = 0;
  let called = 0;
  const { reaction, emitted, home, time, attempts } = await subject(t, {
    alerts: () => (called++, never()),
    instead: (store) => ({
      settleCommand: (params: Parameters<typeof store.settleCommand>[0]) =>
        ++failures === 1 ? Promise.reject(new Error("once")) : time.during(() => store.settleCommand(params)),
    }),
  });
  const eventId = await emitted();
  const logger = listeningLogger();
  const ctx = testCtx({ entry: "queue", logger });
  assert.equal((await deliver(reaction.consume, ctx, { body: { event: eventId } })).type, "ack");
  const stored = await home.store.readEvent(eventId);
  assert.deepEqual([stored?.event.status, attempts.length, called], ["completed", 1, 1]);
  assert.ok(time.monotonic() < 10_000);
  assert.ok(logger.logged.some(({ message }) => message === "an alert handler failed"));
  const { items } = await reaction.operations.listAlerts({ eventId });
  assert.deepEqual(
    items.map(({ code }) => code),
    ["result_unwritten"],
    "it is stored all the same",
  );
});

test("an alert that the store never takes keeps nothing waiting either", async (t) => {
  const { reaction, codes } = await subject(t, { instead: () => ({ recordAlert: never }) });
  assert.equal((await deliver(reaction.consume, queueCtx, { body: "strange" })).type, "ack");
  assert.deepEqual(codes, ["malformed_message"]);
});

test("a sweep sends before it alerts, and passes go on while an alert handler hangs", async (t) => {
  const sentBefore: unknown[] = [];
  const { reaction, emitted, rows, advance } = await subject(t, {
    alerts: async () => {
      sentBefore.push(...(await rows("select count(*) as n from river_job")));
      return never();
    },
  });
  await emitted();
  for (let sweeps = 1; sweeps <= 12; sweeps++) {
    advance(3_700_000);
    assert.equal((await reaction.processor.sweep(testCtx({ entry: "scheduled" }))).dispatched, 1);
  }
  assert.deepEqual(
    sentBefore.map((row) => (row as { readonly n: number }).n),
    [11, 12, 13],
    "one message from the emission, one of each pass up to this one",
  );
});

test("a sweep whose send fails alerts all the same", async (t) => {
  const { reaction, emitted, codes, advance } = await subject(t, {
    queue: { send: () => Promise.reject(new Error("down")) },
  });
  await emitted();
  for (let sweeps = 1; sweeps <= 10; sweeps++) {
    advance(3_700_000);
    await reaction.processor.sweep(testCtx({ entry: "scheduled" }));
  }
  assert.deepEqual(codes, ["sweeps_exhausted"]);
});

for (const lease of [{ seconds: 60 }, { milliseconds: 50 }]) {
  test(`RX-21 C30 a success whose write never answers is alerted and marked before its lease of ${JSON.stringify(lease)} ends, and not repeated`, async (t) => {
    const { reaction, sound, emitted, home, codes, attempts, advance, time } = await subject(t, {
      instead: () => ({ settleCommand: never, renewLease: never }),
      lease,
    });
    const eventId = await emitted();
    const body = { event: eventId };
    assert.equal((await deliver(reaction.consume, queueCtx, { body })).type, "ack");
    assert.deepEqual(codes, ["result_unwritten", "needs_review"]);
    assert.ok(time.monotonic() <= reaction.leaseMs, `the mark is there before a takeover: ${time.monotonic()}`);
    assert.equal((await home.keyValue.list({ prefix: "reaction/review/", limit: 5 })).entries.length, 1);
    advance(60_001);
    assert.equal((await deliver(sound.consume, queueCtx, { body, attempts: 2 })).type, "ack");
    const command = (await home.store.readEvent(eventId))?.commands[0];
    assert.deepEqual([command?.status, attempts.length], ["needs_review", 1]);
  });
}

test("a renewal without an answer is followed by another before the lease runs out", async (t) => {
  for (const leaseMs of [60_000, 6000]) {
    const askedAt: number[] = [];
    const { reaction, emitted, time } = await subject(t, {
      instead: (store, clock) => ({
        renewLease: (...args: Parameters<Store["renewLease"]>) =>
          askedAt.push(clock.monotonic()) === 1 ? never() : clock.during(() => store.renewLease(...args)),
      }),
      work: () => time.pause(leaseMs * 0.9),
      lease: { milliseconds: leaseMs },
      timeout: { milliseconds: leaseMs * 0.95 },
    });
    const eventId = await emitted();
    await deliver(reaction.consume, queueCtx, { body: { event: eventId } });
    assert.deepEqual(askedAt, [leaseMs / 3, (leaseMs * 2) / 3]);
  }
});

test("emit answers when the store or the queue does not", async (t) => {
  const sent: unknown[] = [];
  const hanging = [
    { instead: () => ({ createEvent: never }) },
    { instead: () => ({ createEvent: never, readEvent: never }) },
    {
      // As on D1.
      instead: (store: Store, time: VirtualTime) => ({
        sendsInTransaction: false,
        createEvent: (event: NewEvent) => time.during(() => store.createEvent({ ...event, send: false })),
      }),
      queue: { send: () => (sent.push(1), never()) },
    },
  ];
  const answers: unknown[] = [];
  for (const options of hanging) {
    const { reaction, time } = await subject(t, options);
    const { status, event, error } = await reaction.processor.emit(testCtx(), order);
    answers.push([status, event?.status, (error as Error).name]);
    assert.ok(time.monotonic() < 60_000);
  }
  assert.deepEqual(answers, [
    ["abandoned", undefined, "TimeoutError"],
    ["abandoned", undefined, "TimeoutError"],
    ["abandoned", "undispatched", "TimeoutError"],
  ]);
  assert.equal(sent.length, 3);
});

test("a delivery whose event cannot be read, or whose end cannot be noted, is over all the same and comes back", async (t) => {
  for (const verb of ["openEvent", "leaseCommand", "settleCommand"] as const) {
    const { reaction, emitted, time, home } = await subject(t, { instead: () => ({ [verb]: never }) });
    const eventId = await emitted();
    const { type } = await deliver(reaction.consume, queueCtx, { body: { event: eventId } });
    const command = (await home.store.readEvent(eventId))?.commands[0];
    const expected = {
      openEvent: ["retry", "pending"],
      leaseCommand: ["retry", "pending"],
      settleCommand: ["ack", "running"],
    };
    assert.deepEqual([type, command?.status], expected[verb], verb);
    assert.ok(time.monotonic() <= 70_000, `ten seconds more than a lease: ${time.monotonic()}`);
  }
});

test("work that an entry has left in the background is waited for, but not for ever", async () => {
  const time = new VirtualTime();
  const { ctx, settled } = openHomeEntry({ entry: "queue", env: {} }, time);
  const done: string[] = [];
  ctx.waitUntil(
    Promise.resolve().then(() => {
      done.push("first");
      ctx.waitUntil(Promise.resolve().then(() => done.push("second")));
    }),
  );
  await settled();
  assert.deepEqual([done, time.monotonic()], [["first", "second"], 0]);
  ctx.waitUntil(never());
  await settled();
  assert.equal(time.monotonic(), 10_000);
});
