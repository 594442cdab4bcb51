import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import {
  createReaction,
  defineCommand,
  defineEvent,
  failed,
  on,
  type ReactionOptions,
  StoredContentError,
  succeeded,
} from "@riverqueue/reaction";
import type { MessageVerdict } from "@riverqueue/reaction/home";
import { z } from "zod";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy, type Work } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const order = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });
const ctx = testCtx({ entry: "queue" });
type Change = Partial<ReactionOptions> & { readonly work?: Work; readonly command?: object };

/** An event with one async command that was emitted and not delivered yet, and a clock to move. */
async function emitted(t: TestContext, { work, command = {}, ...options }: Change = {}) {
  let at = Date.now();
  const opened = await openSqliteHome(t, { now: () => new Date(at) });
  const commands = orderCommands(work === undefined ? {} : { send: work }, command);
  const heard = alertCodes();
  const reaction = createReaction({
    policies: [orderPolicy(commands.send)],
    ...opened.home.parts,
    alerts: heard.alerts,
    ...(options as object),
  });
  const { event } = await reaction.processor.emit(testCtx(), order);
  const eventId = event?.id ?? "";
  const commandOf = async () => (await opened.home.store.readEvent(eventId))?.commands[0];
  return {
    ...opened,
    ...commands,
    codes: heard.codes,
    reaction,
    eventId,
    command: commandOf,
    advance: (ms: number) => (at += ms),
    deliver: (attempts = 1) => deliver(reaction.consume, ctx, { body: { event: eventId }, attempts }),
  };
}

function retryDelay(verdict: MessageVerdict): number {
  assert.equal(verdict.type, "retry");
  return verdict.type === "retry" ? (verdict.delayMs ?? 0) : 0;
}

test("RX-17 attempts and deliveries are counted apart: each delivery makes its share of the attempts", async (t) => {
  for (const [maxAttempts, expected] of [
    [1, [1]],
    [3, [1, 1, 1]],
    [4, [1, 1, 1, 1]],
    [5, [2, 1, 1, 1]],
    [9, [3, 2, 2, 2]],
  ] as const) {
    const subject = await emitted(t, {
      work: () => failed({ code: "busy", message: "later" }),
      command: { maxAttempts },
    });
    const made: number[] = [];
    for (let delivery = 1; delivery <= 4; delivery++) {
      const before = subject.attempts.length;
      const verdict = await subject.deliver(delivery);
      if (subject.attempts.length > before) made.push(subject.attempts.length - before);
      if (verdict.type === "ack") break;
      assert.ok(retryDelay(verdict) >= 8000 * 2 ** (delivery - 1), `pause after delivery ${delivery}`);
    }
    assert.deepEqual(made, expected);
    assert.equal((await subject.command())?.status, "failed");
    assert.equal((await subject.command())?.attempt, maxAttempts);
  }
});

test("RX-04 RX-20 the fourth delivery is worked, then acknowledged, failed as it is, with a high alert", async (t) => {
  const subject = await emitted(t, {
    work: () => failed({ code: "busy", message: "later" }),
    command: { maxAttempts: 100 },
  });
  for (let delivery = 1; delivery <= 3; delivery++) assert.equal((await subject.deliver(delivery)).type, "retry");
  const before = subject.attempts.length;
  assert.equal((await subject.deliver(4)).type, "ack");
  assert.ok(subject.attempts.length > before);
  assert.equal((await subject.command())?.status, "failed");
  assert.deepEqual(subject.codes, ["command_failed", "delivery_exhausted"]);
  const { items } = await subject.reaction.operations.listAlerts({ eventId: subject.eventId });
  assert.deepEqual(
    items.map(({ severity }) => severity),
    ["high", "high"],
  );
});

test("RX-20 a delivery that the store fails is retried after growing pauses; the last one is acknowledged, with a high alert", async (t) => {
  const subject = await emitted(t);
  const { codes, alerts } = alertCodes();
  const store = new Proxy(subject.home.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return key === "openEvent" ? () => Promise.reject(new Error("down")) : (value.bind(target) as unknown);
    },
  });
  const other = createReaction({ policies: [orderPolicy(subject.send)], ...subject.home.parts, store, alerts });
  const body = { event: subject.eventId };
  for (const attempts of [1, 2, 3]) {
    assert.ok(retryDelay(await deliver(other.consume, ctx, { body, attempts })) >= 8000 * 2 ** (attempts - 1));
  }
  assert.deepEqual(codes, []);
  assert.equal((await deliver(other.consume, ctx, { body, attempts: 4 })).type, "ack");
  assert.deepEqual(codes, ["delivery_exhausted"]);
  assert.equal(
    (await subject.command())?.status,
    "pending",
    "the record is left for whoever looks, and for the sweeper",
  );
});

test("RX-18 a message delivered again, after the end or at the same time, runs nothing twice", async (t) => {
  const started = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const subject = await emitted(t, {
    work: async () => {
      started.resolve();
      await go.promise;
    },
  });
  const first = subject.deliver();
  await started.promise;
  const second = retryDelay(await subject.deliver(1));
  assert.ok(second > 59_000, "it comes back after the lease");
  assert.ok(subject.codes.length === 0, "which is no failure");
  assert.equal((await subject.deliver(4)).type, "ack", "the last one writes nothing");
  go.resolve();
  assert.equal((await first).type, "ack");
  assert.equal((await subject.deliver(2)).type, "ack");
  assert.equal(subject.attempts.length, 1);
  assert.deepEqual(subject.codes, []);
  assert.equal((await subject.command())?.status, "succeeded");
});

test("RX-19 handlers see one executionId in all attempts, and the number of the attempt", async (t) => {
  const subject = await emitted(t, { work: () => failed({ code: "busy", message: "later" }) });
  for (const delivery of [1, 2, 3]) await subject.deliver(delivery);
  const id = (await subject.command())?.id;
  assert.deepEqual(
    subject.attempts.map(({ executionId, attempt }) => ({ executionId, attempt })),
    [1, 2, 3].map((attempt) => ({ executionId: id, attempt })),
  );
});

test("RX-18 a lease that has run out is taken over; the first holder, still running, is refused when it writes late", async (t) => {
  const go = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const subject = await emitted(t, {
    work: async ({ attempt }) => {
      if (attempt > 1) return;
      started.resolve();
      await go.promise;
    },
  });
  const first = subject.deliver();
  await started.promise;
  subject.advance(60_001);
  // As another process does, which knows nothing of the first one.
  const other = createReaction({ policies: [orderPolicy(subject.send)], ...subject.home.parts });
  const second = await deliver(other.consume, ctx, { body: { event: subject.eventId }, attempts: 2 });
  assert.equal(second.type, "ack");
  go.resolve();
  await first;
  assert.deepEqual(subject.codes, ["lease_lost"]);
  const command = await subject.command();
  assert.deepEqual([command?.status, command?.attempt], ["succeeded", 2]);
  assert.deepEqual(
    command?.attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`),
    ["1 crashed", "2 succeeded"],
  );
});

test("after a crash a command that asks for review gets it, and is not run again until an operator says so", async (t) => {
  const subject = await emitted(t, { command: { afterCrash: "review" } });
  await crashDuringAttempt(subject);
  assert.equal((await subject.deliver(2)).type, "ack");
  assert.equal(subject.attempts.length, 0);
  assert.equal((await subject.command())?.status, "needs_review");
  assert.deepEqual(subject.codes, ["needs_review"]);
  const { operations } = subject.reaction;
  const id = (await subject.command())?.id ?? "";
  assert.equal(await operations.retryCommand(ctx, id, { by: "ana" }), true);
  assert.equal((await subject.deliver(1)).type, "ack");
  assert.equal((await subject.command())?.status, "succeeded");
});

/** Leaves the command leased by a process that is gone, with the lease run out. */
async function crashDuringAttempt(subject: Awaited<ReturnType<typeof emitted>>): Promise<void> {
  const { id = "", attempt = 0 } = (await subject.command()) ?? {};
  const lease = { eventId: subject.eventId, commandId: id, owner: "gone", seenAttempt: attempt };
  await subject.home.store.leaseCommand({ ...lease, leaseMs: 60_000, sweepInMs: 120_000 });
  subject.advance(60_001);
}

test("attempts that crash count: after the last of them the command has failed", async (t) => {
  const subject = await emitted(t, { command: { maxAttempts: 2 } });
  await crashDuringAttempt(subject);
  await crashDuringAttempt(subject);
  assert.equal((await subject.deliver(3)).type, "ack");
  const command = await subject.command();
  assert.deepEqual([command?.status, command?.error?.code, subject.attempts.length], ["failed", "crashed", 0]);
  assert.deepEqual(subject.codes, ["command_failed"]);
});

test("RX-34 RX-02 a message that the processor did not write runs nothing, is acknowledged, recorded and alerted", async (t) => {
  const subject = await emitted(t);
  const strange: readonly unknown[] = [
    undefined,
    null,
    "text",
    [],
    {},
    { event: 7 },
    { event: "order-paid:1" },
    { event: subject.eventId, command: "send_receipt" },
    { type: "order.paid", payload: { orderId: "1" } },
  ];
  for (const body of strange)
    assert.equal((await deliver(subject.reaction.consume, ctx, { body, id: "77" })).type, "ack");
  const unknown = "01900000-0000-7000-8000-000000000000";
  assert.equal((await deliver(subject.reaction.consume, ctx, { body: { event: unknown } })).type, "ack");
  assert.equal(subject.attempts.length, 0);
  assert.deepEqual(subject.codes, [...strange.map(() => "malformed_message"), "unknown_event"]);
  const { items } = await subject.reaction.operations.listAlerts();
  assert.equal(
    items.filter(({ messageId, queue }) => messageId === "77" && queue === "async-policy-task").length,
    strange.length,
  );
});

test("RX-06 a batch is consumed by the queue of exactly its name, and by none when there is none", async (t) => {
  const { home } = await openSqliteHome(t);
  const { send, attempts } = orderCommands();
  const { codes, alerts } = alertCodes();
  const queueNames = { "async-policy-task": "shop-tasks", "async-logger": "shop-logs" };
  const reaction = createReaction({ policies: [orderPolicy(send)], ...home.parts, queueNames, alerts });
  const { event } = await reaction.processor.emit(testCtx(), order);
  const body = { event: event?.id };
  for (const queue of ["async-policy-task", "shop-task", "SHOP-TASKS", "shop-tasks "]) {
    assert.equal((await deliver(reaction.consume, ctx, { body, queue })).type, "retry");
  }
  assert.equal(attempts.length, 0);
  assert.deepEqual(
    codes,
    Array.from({ length: 4 }, () => "unknown_queue"),
  );
  assert.equal((await deliver(reaction.consume, ctx, { body, queue: "shop-tasks" })).type, "ack");
  assert.equal(attempts.length, 1);
  assert.deepEqual(
    reaction.queues.map(({ actualName }) => actualName),
    ["shop-tasks", "shop-logs", "analytics-events"],
  );
});

test("RX-21 a success that cannot be stored is alerted at once, put into review, and not repeated", async (t) => {
  const opened = await openSqliteHome(t);
  const { send, attempts } = orderCommands();
  const { codes, alerts } = alertCodes();
  const store = new Proxy(opened.home.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "settleCommand") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return (params: { status: string }) =>
        params.status === "succeeded"
          ? Promise.reject(new Error("full"))
          : (target.settleCommand as (all: unknown) => unknown)(params);
    },
  });
  const pace = { lease: { milliseconds: 300 }, emission: { firstDelay: { milliseconds: 10 } } };
  const reaction = createReaction({ policies: [orderPolicy(send)], ...opened.home.parts, store, alerts, ...pace });
  const { event } = await reaction.processor.emit(testCtx(), order);
  const body = { event: event?.id };
  assert.equal((await deliver(reaction.consume, ctx, { body })).type, "ack");
  assert.deepEqual(codes, ["result_unwritten", "needs_review"]);
  assert.equal((await opened.home.store.readEvent(event?.id ?? ""))?.commands[0]?.status, "needs_review");
  assert.equal((await deliver(reaction.consume, ctx, { body, attempts: 2 })).type, "ack");
  assert.equal(attempts.length, 1);
});

test("RX-21 where the store takes nothing, a mark beside it keeps the command from running again", async (t) => {
  let at = Date.now();
  const opened = await openSqliteHome(t, { now: () => new Date(at) });
  const { send, attempts } = orderCommands();
  const { codes, alerts } = alertCodes();
  let isDown = true;
  const store = new Proxy(opened.home.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const settles = key === "settleCommand" || key === "renewLease";
      return settles && isDown ? () => Promise.reject(new Error("down")) : (value.bind(target) as unknown);
    },
  });
  const pace = { lease: { milliseconds: 300 }, emission: { firstDelay: { milliseconds: 10 } } };
  const reaction = createReaction({ policies: [orderPolicy(send)], ...opened.home.parts, store, alerts, ...pace });
  const { event } = await reaction.processor.emit(testCtx(), order);
  const body = { event: event?.id };
  assert.equal((await deliver(reaction.consume, ctx, { body })).type, "ack");
  assert.deepEqual(codes, ["result_unwritten", "needs_review"]);
  isDown = false;
  at += 400;
  assert.equal((await deliver(reaction.consume, ctx, { body, attempts: 2 })).type, "ack");
  const command = (await opened.home.store.readEvent(event?.id ?? ""))?.commands[0];
  assert.equal(command?.status, "needs_review");
  assert.equal(attempts.length, 1);
  const marks = async () => (await opened.home.keyValue.list({ prefix: "reaction/review/", limit: 10 })).entries.length;
  assert.equal(await marks(), 1);
  assert.equal(await reaction.operations.retryCommand(ctx, command?.id ?? "", { by: "ana" }), true);
  assert.equal(await marks(), 0, "a crash of the attempt that an operator asked for is a crash like any other");
});

test("a result that is no JSON or too large is left out, and the record says so", async (t) => {
  for (const result of ["x".repeat(100_001), { toJSON: () => 1n }]) {
    const subject = await emitted(t, { work: () => succeeded({ result: result as string }) });
    assert.equal((await subject.deliver()).type, "ack");
    const command = await subject.command();
    assert.deepEqual([command?.status, command?.result, command?.resultDropped], ["succeeded", null, true]);
  }
});

test("a result that the store refuses for its content is left out, and the record says so", async (t) => {
  const opened = await openSqliteHome(t);
  const store = new Proxy(opened.home.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "settleCommand") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return (params: Parameters<typeof target.settleCommand>[0]) =>
        params.result === null ? target.settleCommand(params) : Promise.reject(new StoredContentError("refused"));
    },
  });
  const { grant } = orderCommands({ grant: () => succeeded({ result: { a: 1 } }) });
  const reaction = createReaction({ policies: [orderPolicy(grant)], ...opened.home.parts, store });
  const { commands, event } = await reaction.processor.emit(testCtx(), order);
  assert.deepEqual([commands[0]?.status, commands[0]?.result], ["succeeded", null]);
  assert.equal((await opened.home.store.readEvent(event?.id ?? ""))?.commands[0]?.resultDropped, true);
});

test("a handler is aborted at its timeout, which counts as a failed attempt, and may still finish in time", async (t) => {
  const ends: Record<string, Work> = {
    rejects: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    finishes: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  };
  for (const [name, work] of Object.entries(ends)) {
    const subject = await emitted(t, { work, command: { timeout: { milliseconds: 20 } } });
    await subject.deliver();
    const command = await subject.command();
    assert.deepEqual(
      [command?.status, command?.error?.code],
      name === "finishes" ? ["succeeded", undefined] : ["retryable", "timeout"],
    );
  }
});

test("a delivery takes no longer than a lease: what is left then gets a message of its own", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const schema = z.object({});
  const Happened = defineEvent({ type: "happened", schema });
  const ran: string[] = [];
  const slow = defineCommand({
    name: "slow",
    mode: "async",
    schema,
    execute: ({ signal }) =>
      new Promise((resolve) => {
        ran.push("slow");
        signal.addEventListener("abort", () => resolve());
      }),
  });
  const quick = defineCommand({ name: "quick", mode: "async", schema, execute: () => void ran.push("quick") });
  const pace = { lease: { milliseconds: 200 }, timeout: { milliseconds: 120 } };
  const reaction = createReaction({
    policies: [on(Happened, () => [slow.with({}), quick.with({})])],
    ...home.parts,
    ...pace,
  });
  const { event } = await reaction.processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  const body = { event: event?.id };
  assert.equal((await deliver(reaction.consume, ctx, { body })).type, "ack");
  assert.deepEqual(ran, ["slow"]);
  assert.equal((await rows("select 1 from river_job")).length, 2);
  await deliver(reaction.consume, ctx, { body });
  assert.deepEqual(ran, ["slow", "quick"]);
});

test("a delivery makes no further attempt that might outlast it; the command keeps the attempts that are left", async (t) => {
  const subject = await emitted(t, {
    work: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("late")))),
    command: { maxAttempts: 9 },
    lease: { milliseconds: 200 },
    timeout: { milliseconds: 120 },
  });
  for (const delivery of [1, 2, 3]) {
    assert.ok(retryDelay(await subject.deliver(delivery)) >= 8000);
    assert.equal(subject.attempts.length, delivery);
  }
  assert.equal((await subject.deliver(4)).type, "ack");
  const command = await subject.command();
  assert.deepEqual([command?.status, command?.attempt], ["retryable", 4]);
});

test("a command is not begun whose own timeout might outlast the delivery", async (t) => {
  const { home } = await openSqliteHome(t);
  const schema = z.object({});
  const ran: string[] = [];
  const first = defineCommand({
    name: "first",
    mode: "async",
    schema,
    timeout: { milliseconds: 199 },
    execute: ({ signal }) =>
      new Promise((resolve) => {
        ran.push("first");
        signal.addEventListener("abort", () => resolve());
      }),
  });
  const timeout = { milliseconds: 390 };
  const long = defineCommand({ name: "long", mode: "async", schema, timeout, execute: () => void ran.push("long") });
  const short = defineCommand({ name: "short", mode: "async", schema, execute: () => void ran.push("short") });
  const Happened = defineEvent({ type: "happened", schema });
  const reaction = createReaction({
    policies: [on(Happened, () => [first.with({}), long.with({}), short.with({})])],
    ...home.parts,
    lease: { milliseconds: 400 },
    timeout: { milliseconds: 20 },
  });
  const { event } = await reaction.processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  const body = { event: event?.id };
  assert.equal((await deliver(reaction.consume, ctx, { body })).type, "ack");
  assert.deepEqual(ran, ["first", "short"]);
  assert.equal((await deliver(reaction.consume, ctx, { body })).type, "ack");
  assert.deepEqual(ran, ["first", "short", "long"]);
});

test("a delivery that comes back puts the sweep behind its return, whatever the pause of its last command", async (t) => {
  let at = Date.now();
  const { home } = await openSqliteHome(t, { now: () => new Date(at) });
  const schema = z.object({});
  const fails = (name: string, maxAttempts: number) =>
    defineCommand({ name, mode: "async", schema, maxAttempts, execute: () => failed({ code: "no", message: "" }) });
  const Happened = defineEvent({ type: "happened", schema });
  const commands = [fails("often", 100), fails("seldom", 3)];
  const reaction = createReaction({
    policies: [on(Happened, () => commands.map((command) => command.with({})))],
    ...home.parts,
  });
  const { event } = await reaction.processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  const delay = retryDelay(await deliver(reaction.consume, ctx, { body: { event: event?.id } }));
  assert.ok(delay > 600_000 && delay <= 900_000, "the longer pause counts, and none is longer than 15 minutes");
  at += delay;
  assert.equal((await reaction.processor.sweep(ctx)).dispatched, 0);
  at += 60_000;
  assert.equal((await reaction.processor.sweep(ctx)).dispatched, 1);
});

test("what a handler throws is tried again, also when it is an error of this package; what its schema refuses is not", async (t) => {
  const thrown = await emitted(t, {
    work: () => void OrderPaid.create({ idempotencyKey: "", payload: { orderId: "" } }),
  });
  assert.equal((await thrown.deliver()).type, "retry");
  const command = await thrown.command();
  assert.deepEqual([command?.status, command?.error?.code], ["retryable", "exception"]);

  const { home } = await openSqliteHome(t);
  let looks = 0;
  // As after a deployment: accepted when it was emitted, refused when it runs.
  const schema = z.object({ orderId: z.string().refine(() => ++looks === 1) });
  const strict = defineCommand({ name: "strict", mode: "sync", schema, execute: () => {} });
  const { processor } = createReaction({ policies: [orderPolicy(strict)], ...home.parts });
  const event = OrderPaid.create({ idempotencyKey: "order-paid:2", payload: { orderId: "1" } });
  const { commands } = await processor.emit(testCtx(), event);
  assert.deepEqual(
    commands.map(({ status, attempt, error }) => [status, attempt, error?.code]),
    [["failed", 1, "invalid_input"]],
  );
});

test("a command that no policy knows is left for those who know it, with an alert", async (t) => {
  const subject = await emitted(t);
  const { codes, alerts } = alertCodes();
  const other = createReaction({ policies: [], ...subject.home.parts, alerts });
  const body = { event: subject.eventId };
  assert.equal((await deliver(other.consume, ctx, { body })).type, "retry");
  assert.equal((await deliver(other.consume, ctx, { body, attempts: 4 })).type, "ack");
  assert.deepEqual(codes, ["unknown_command", "unknown_command", "delivery_exhausted"]);
  assert.equal((await subject.command())?.status, "pending");
});

test("a process that did not emit the event learns its commands from the policies, or from the list", async (t) => {
  const subject = await emitted(t);
  const logger = listeningLogger();
  const body = { event: subject.eventId };
  const listed = createReaction({ policies: [], commands: [subject.send], ...subject.home.parts });
  const policy = on(OrderPaid, () => Promise.reject(new RangeError("no policy today")));
  const { consume } = createReaction({ policies: [policy], ...subject.home.parts });
  assert.equal((await deliver(consume, testCtx({ logger }), { body })).type, "retry");
  const said = logger.logged.find(({ message }) => message === "the policies could not be asked for a command");
  assert.ok(said?.attributes["error"] instanceof RangeError, "why a policy cannot be asked is said");
  assert.equal((await deliver(listed.consume, testCtx({ logger }), { body })).type, "ack");
  assert.equal((await subject.command())?.status, "succeeded");
});
