// What the processor does about writes that fail, or whose answers are lost.
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, failed, type ReactionOptions, type ReactionStore } from "@riverqueue/reaction";
import { createTimedReaction } from "@riverqueue/reaction/home";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy, type Work } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";
import { VirtualTime } from "./testdata/virtual-time.ts";

failOnLeaks();

type Store = ReactionStore<DatabaseSync>;
type Verbs = { readonly [Verb in keyof Store]?: Store[Verb] };

const order = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });
const ctx = testCtx({ entry: "queue" });
const emission = { firstDelay: { milliseconds: 1 } };

/** The store with some of its verbs changed; they get the real ones. */
function changed(store: Store, change: (real: Store) => Verbs): Store {
  const verbs = change(store);
  return new Proxy(store, {
    get(target, key) {
      const own: unknown = verbs[key as keyof Verbs];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** An event with an async command in a store that is changed for the process that works it. */
async function subject(
  t: TestContext,
  change: (real: Store) => Verbs,
  { work, ...options }: { readonly work?: Work } & Partial<ReactionOptions<DatabaseSync>> = {},
) {
  let at = Date.now();
  const { home, rows } = await openSqliteHome(t, { now: () => new Date(at) });
  const commands = orderCommands(work === undefined ? {} : { send: work });
  const { codes, alerts } = alertCodes();
  const parts = { policies: [orderPolicy(commands.send)], ...home.parts, alerts, emission, ...options };
  const sound = createReaction(parts);
  const store = changed(home.store, change);
  const stored = async () => home.store.readEvent((await home.store.listEvents({})).items[0]?.id ?? "");
  return {
    home,
    rows,
    ...commands,
    codes,
    parts: { ...parts, store },
    sound,
    stored,
    advance: (ms: number) => (at += ms),
  };
}

test("RX-25 an event whose only answer was lost is found again: it is accepted, not abandoned", async (t) => {
  let tries = 0;
  const { parts, rows, codes } = await subject(t, (real) => ({
    createEvent: async (event) => {
      if (++tries === 1) await real.createEvent(event);
      throw new Error(`try ${tries}`);
    },
  }));
  const result = await createReaction(parts).processor.emit(testCtx(), order);
  assert.deepEqual(
    [result.status, result.event?.status, result.commands.length, tries],
    ["accepted", "dispatched", 1, 3],
  );
  assert.deepEqual(codes, []);
  assert.equal((await rows("select 1 from river_job")).length, 1);
});

test("RX-25 RX-33 where the store does not even say whether it has the event, the alert says so", async (t) => {
  for (const isKnown of [true, false]) {
    const messages: string[] = [];
    const { parts } = await subject(t, (real) => ({
      createEvent: () => Promise.reject(new Error("down")),
      readEvent: (id) => (isKnown ? real.readEvent(id) : Promise.reject(new Error("down"))),
    }));
    const alerts = ({ message }: { readonly message: string }) => void messages.push(message);
    const result = await createReaction({ ...parts, alerts }).processor.emit(testCtx(), order);
    assert.deepEqual([result.status, result.event], ["abandoned", null]);
    assert.match(
      messages.join(),
      isKnown ? /^an event could not be stored and was given up$/ : /does not say whether it has it/,
    );
  }
});

test("RX-21 a success at the end of its delivery is tried to be stored for as long as its lease is held", async (t) => {
  const time = new VirtualTime();
  let tries = 0;
  // It ends a tenth of a second before the delivery, under a lease that was renewed twice.
  const { parts, sound, stored, codes, home } = await subject(t, () => ({}), {
    work: () => time.pause(59_900),
    timeout: { milliseconds: 59_950 },
    emission: {},
  });
  const store = time.watch(home.store, {
    settleCommand: (params: Parameters<Store["settleCommand"]>[0]) =>
      ++tries < 4 ? Promise.reject(new Error("busy")) : time.during(() => home.store.settleCommand(params)),
  });
  const { event } = await sound.processor.emit(testCtx(), order);
  const reaction = createTimedReaction({ ...parts, store, keyValue: time.watch(home.keyValue) }, time);
  assert.equal((await deliver(reaction.consume, ctx, { body: { event: event?.id } })).type, "ack");
  assert.deepEqual([(await stored())?.commands[0]?.status, tries], ["succeeded", 4]);
  assert.deepEqual(codes, ["result_unwritten"]);
  assert.ok(time.monotonic() > 60_000);
});

test("a mark of an attempt that an operator has dealt with does not put a later crash into review", async (t) => {
  let isDown = true;
  const time = new VirtualTime();
  const { parts, sound, home, stored, advance, attempts } = await subject(t, (real) => ({
    settleCommand: (params) => (isDown ? Promise.reject(new Error("down")) : real.settleCommand(params)),
  }));
  const { event } = await sound.processor.emit(testCtx(), order);
  const body = { event: event?.id };
  const watched = { store: time.watch(parts.store), keyValue: time.watch(home.keyValue) };
  await deliver(createTimedReaction({ ...parts, ...watched }, time).consume, ctx, { body });
  isDown = false;
  advance(60_001);
  await deliver(sound.consume, ctx, { body });
  const command = (await stored())?.commands[0];
  assert.deepEqual([command?.status, attempts.length], ["needs_review", 1]);
  // The mark stays where it cannot be deleted.
  const keyValue = Object.assign(Object.create(home.keyValue) as typeof home.keyValue, {
    get: home.keyValue.get.bind(home.keyValue),
    delete: () => Promise.reject(new Error("down")),
  });
  const { operations } = createReaction({ ...parts, keyValue });
  await operations.retryCommand(ctx, command?.id ?? "", { by: "ana" });
  assert.equal((await home.keyValue.list({ prefix: "reaction/review/", limit: 5 })).entries.length, 1);
  const lease = {
    eventId: event?.id ?? "",
    commandId: command?.id ?? "",
    owner: "gone",
    leaseMs: 60_000,
    sweepInMs: 120_000,
  };
  assert.ok(await home.store.leaseCommand({ ...lease, seenAttempt: command?.attempt ?? 0 }));
  advance(60_001);
  assert.equal((await deliver(sound.consume, ctx, { body })).type, "ack");
  assert.deepEqual([(await stored())?.commands[0]?.status, attempts.length], ["succeeded", 2]);
});

test("that a crashed command has failed is alerted when that is written, not when somebody else has taken it", async (t) => {
  const expected = { refused: [], answered: ["command_failed"], lost: ["command_failed"] } as const;
  for (const [way, alerts] of Object.entries(expected)) {
    const { parts, sound, home, codes, advance } = await subject(
      t,
      (real) => ({
        decideCommand: async (params) => {
          if (way === "refused") return null;
          const written = await real.decideCommand(params);
          return way === "lost" ? Promise.reject(new Error("lost")) : written;
        },
      }),
      { maxAttempts: 1 },
    );
    const { event, commands } = await sound.processor.emit(testCtx(), order);
    const [eventId, commandId] = [event?.id ?? "", commands[0]?.executionId ?? ""];
    await home.store.leaseCommand({
      eventId,
      commandId,
      owner: "gone",
      seenAttempt: 0,
      leaseMs: 60_000,
      sweepInMs: 120_000,
    });
    advance(60_001);
    await deliver(createReaction(parts).consume, ctx, { body: { event: eventId } });
    assert.deepEqual(codes, alerts, way);
  }
});

test("a delivery that the store fails puts the sweep behind its return as well, where the store takes that", async (t) => {
  for (const takes of [true, false]) {
    const { parts, sound, stored, advance } = await subject(t, (real) => ({
      openEvent: () => Promise.reject(new Error("down")),
      postponeSweep: (id, ms) => (takes ? real.postponeSweep(id, ms) : Promise.reject(new Error("down"))),
    }));
    const { event } = await sound.processor.emit(testCtx(), order);
    advance(50_000);
    const before = (await stored())?.event.nextSweepAt;
    const logger = listeningLogger();
    const verdict = await deliver(createReaction(parts).consume, testCtx({ entry: "queue", logger }), {
      body: { event: event?.id },
    });
    assert.equal(verdict.type, "retry");
    const delayMs = verdict.type === "retry" ? (verdict.delayMs ?? 0) : 0;
    const after = (await stored())?.event.nextSweepAt;
    const postponed = (after?.getTime() ?? 0) - (before?.getTime() ?? 0);
    assert.equal(postponed, takes ? 50_000 + delayMs : 0);
    assert.equal(
      logger.logged.some(({ level }) => level === "warn"),
      !takes,
    );
  }
});

test("a failure that cannot be stored is tried again by the next attempt, not put into review", async (t) => {
  const { parts, sound, stored, codes } = await subject(
    t,
    () => ({ settleCommand: () => Promise.reject(new Error("down")) }),
    {
      work: () => failed({ code: "no", message: "" }),
      lease: { milliseconds: 100 },
    },
  );
  const { event } = await sound.processor.emit(testCtx(), order);
  assert.equal((await deliver(createReaction(parts).consume, ctx, { body: { event: event?.id } })).type, "retry");
  assert.deepEqual([(await stored())?.commands[0]?.status, codes], ["running", []]);
});

test("a last failure whose write has no answer is alerted: it may be stored, and nothing comes back to it then", async (t) => {
  for (const isStored of [true, false]) {
    const { parts, sound, stored, codes } = await subject(
      t,
      (real) => ({
        settleCommand: async (params) => {
          if (isStored) await real.settleCommand(params);
          throw new Error("down");
        },
        readEvent: () => Promise.reject(new Error("down")),
      }),
      { work: () => failed({ code: "no", message: "", retry: false }), lease: { milliseconds: 100 } },
    );
    const { event } = await sound.processor.emit(testCtx(), order);
    assert.equal((await deliver(createReaction(parts).consume, ctx, { body: { event: event?.id } })).type, "retry");
    assert.deepEqual(
      [(await stored())?.commands[0]?.status, codes],
      [isStored ? "failed" : "running", ["command_failed"]],
    );
  }
});
