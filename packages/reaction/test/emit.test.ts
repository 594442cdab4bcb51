import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { consoleLogger, createReaction, defineCommand, defineEvent, failed, on, succeeded } from "@riverqueue/reaction";
import { z } from "zod";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";
import { withoutSending } from "./testdata/without-sending.ts";

failOnLeaks();

const order = (orderId: string) => OrderPaid.create({ idempotencyKey: `order-paid:${orderId}`, payload: { orderId } });
const messages = "select json_extract(args, '$.body.event') as event, queue from river_job order by id";

test("RX-07 RX-09 RX-10 one event has a sync command run here and the id of its execution sent for the async one", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { grant, send, attempts } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(send, grant)], ...home.parts });
  const result = await processor.emit(testCtx(), order("1"));
  assert.equal(result.status, "accepted");
  assert.deepEqual(
    result.commands.map(({ name, mode, status, attempt }) => ({ name, mode, status, attempt })),
    [
      { name: "send_receipt", mode: "async", status: "pending", attempt: 0 },
      { name: "grant_role", mode: "sync", status: "succeeded", attempt: 1 },
    ],
  );
  assert.deepEqual(
    attempts.map(({ name }) => name),
    ["grant_role"],
  );
  assert.deepEqual(await rows(messages), [{ event: result.event?.id, queue: "async-policy-task" }]);
});

test("RX-08 event and command executions are stored before anything runs", async (t) => {
  const { home } = await openSqliteHome(t);
  const seen: unknown[] = [];
  const { grant, send } = orderCommands({
    grant: async ({ eventId }) => {
      const stored = await home.store.readEvent(eventId);
      seen.push(
        stored?.event.type,
        stored?.commands.map(({ name, status }) => `${name} ${status}`),
      );
    },
  });
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  await processor.emit(testCtx(), order("1"));
  assert.deepEqual(seen, ["order.paid", ["grant_role running", "send_receipt pending"]]);
});

test("RX-08 commands run in declared order, sync ones first", async (t) => {
  const { home } = await openSqliteHome(t);
  const ran: string[] = [];
  const schema = z.object({});
  const command = (name: string, mode: "async" | "sync") =>
    defineCommand({ name, mode, schema, execute: () => void ran.push(name) });
  const commands = [command("a", "async"), command("b", "sync"), command("c", "async"), command("d", "sync")];
  const Happened = defineEvent({ type: "happened", schema: z.object({}) });
  const reaction = createReaction({
    policies: [on(Happened, () => commands.map((each) => each.with({})))],
    ...home.parts,
  });
  const { event } = await reaction.processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  assert.deepEqual(ran, ["b", "d"]);
  await deliver(reaction.consume, testCtx({ entry: "queue" }), { body: { event: event?.id } });
  assert.deepEqual(ran, ["b", "d", "a", "c"]);
  assert.equal((await home.store.readEvent(event?.id ?? ""))?.event.status, "completed");
});

test("RX-11 RX-12 a failure that a sync command returns or throws is in the result and the record, and emit does not throw", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant, send } = orderCommands({
    grant: ({ attempt }) => {
      if (attempt === 1) throw new TypeError("no role");
      return failed({ code: "unknown_user", message: "there is no such user", retry: false });
    },
  });
  const { processor, operations } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const result = await processor.emit(testCtx(), order("1"));
  assert.equal(result.status, "accepted");
  assert.deepEqual(result.commands[0], {
    executionId: result.commands[0]?.executionId,
    name: "grant_role",
    mode: "sync",
    status: "failed",
    attempt: 2,
    error: { code: "unknown_user", message: "there is no such user" },
    result: null,
  });
  const details = await operations.getEvent(result.event?.id ?? "");
  assert.deepEqual(
    details?.commands[0]?.attempts.map(({ outcome, error }) => ({ outcome, error })),
    [
      { outcome: "failed", error: { code: "exception", message: "TypeError: no role" } },
      { outcome: "failed", error: { code: "unknown_user", message: "there is no such user" } },
    ],
  );
  assert.equal(details?.commands[0]?.status, "failed");
});

test("RX-15 RX-23 the same type and key again is a duplicate with the first records, and creates none", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { grant, send, attempts } = orderCommands({ grant: () => succeeded({ result: { role: "buyer" } }) });
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const logger = listeningLogger();
  const first = await processor.emit(testCtx({ logger }), order("1"));
  const again = await processor.emit(testCtx({ logger }), order("1"));
  assert.deepEqual([first.status, again.status], ["accepted", "duplicate"]);
  assert.equal(again.event?.id, first.event?.id);
  assert.deepEqual(again.commands, first.commands);
  assert.equal("payloadMismatch" in again, false);
  assert.deepEqual(again.commands[0]?.result, { role: "buyer" });
  const event = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "2" } });
  const other = await processor.emit(testCtx({ logger }), event);
  assert.deepEqual([other.status, other.payloadMismatch, other.event?.payload], ["duplicate", true, { orderId: "1" }]);
  assert.ok(logger.logged.some(({ level, message }) => level === "warn" && /another payload/.test(message)));
  assert.equal(attempts.length, 1);
  assert.deepEqual(await rows("select count(*) as n from river_reaction_event"), [{ n: 1 }]);
  assert.deepEqual(await rows("select count(*) as n from river_reaction_command"), [{ n: 2 }]);
  assert.equal((await rows(messages)).length, 1);
});

test("RX-16 a sync command is tried up to its own maxAttempts, three unless it says otherwise", async (t) => {
  const { home } = await openSqliteHome(t);
  const failing = { grant: () => failed({ code: "busy", message: "later" }) };
  for (const [maxAttempts, expected] of [
    [undefined, 3],
    [1, 1],
    [5, 5],
  ] as const) {
    const { grant, attempts } = orderCommands(failing, { maxAttempts });
    const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts });
    const { commands } = await processor.emit(testCtx(), order(`${expected}`));
    assert.deepEqual([attempts.length, commands[0]?.status], [expected, "failed"]);
    assert.equal(new Set(attempts.map(({ executionId }) => executionId)).size, 1);
  }
});

test("RX-16 the processor's default may be another", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant, attempts } = orderCommands({ grant: () => failed({ code: "busy", message: "later" }) });
  const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts, maxAttempts: 2 });
  await processor.emit(testCtx(), order("1"));
  assert.equal(attempts.length, 2);
});

test("RX-22 RX-26 accepted is answered while async commands wait, and says nothing about them", async (t) => {
  const { home } = await openSqliteHome(t);
  const { send } = orderCommands({ send: () => failed({ code: "no", message: "no", retry: false }) });
  const reaction = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  const { status, event, commands } = await reaction.processor.emit(testCtx(), order("1"));
  assert.deepEqual([status, event?.status, commands[0]?.status], ["accepted", "dispatched", "pending"]);
  await deliver(reaction.consume, testCtx({ entry: "queue" }), { body: { event: event?.id } });
  const again = await reaction.processor.emit(testCtx(), order("1"));
  assert.deepEqual([again.status, again.event?.status, again.commands[0]?.status], ["duplicate", "failed", "failed"]);
});

test("RX-24 an event that causes no command is ignored, stores nothing and takes no key", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { send } = orderCommands();
  const result = await createReaction({ policies: [on(OrderPaid, () => [])], ...home.parts }).processor.emit(
    testCtx(),
    order("1"),
  );
  assert.deepEqual([result.status, result.event, result.commands], ["ignored", null, []]);
  assert.deepEqual(await rows("select count(*) as n from river_reaction_event"), [{ n: 0 }]);
  const { processor } = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  assert.equal((await processor.emit(testCtx(), order("1"))).status, "accepted");
});

test("RX-25 RX-33 abandoned is answered after several tries only, logged and alerted before, with nothing stored", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { send } = orderCommands();
  const { codes, alerts } = alertCodes();
  const logger = listeningLogger();
  let tries = 0;
  const store: typeof home.store = Object.assign(Object.create(home.store) as typeof home.store, {
    sendsInTransaction: true,
    createEvent: () => Promise.reject(new Error(`try ${++tries}`)),
    recordAlert: () => Promise.reject(new Error("down")),
  });
  const emission = { firstDelay: { milliseconds: 1 } };
  const { processor } = createReaction({ policies: [orderPolicy(send)], ...home.parts, store, alerts, emission });
  const result = await processor.emit(testCtx({ logger }), order("1"));
  assert.deepEqual([result.status, result.event, result.commands, tries], ["abandoned", null, [], 3]);
  assert.match(String(result.error), /try 3/);
  assert.deepEqual(codes, ["event_abandoned"]);
  assert.ok(logger.logged.some(({ level }) => level === "error"));
  assert.deepEqual(await rows("select count(*) as n from river_reaction_event"), [{ n: 0 }]);
});

test("RX-25 an event whose message cannot be sent is abandoned with its record, and the sweeper sends it", async (t) => {
  let at = Date.now();
  const { home, rows } = await openSqliteHome(t, { now: () => new Date(at) });
  const { grant, send } = orderCommands();
  const { codes, alerts } = alertCodes();
  let works = false;
  const queue: typeof home.queue = {
    send: (sent) => (works ? home.queue.send(sent) : Promise.reject(new Error("the queue is down"))),
  };
  const emission = { firstDelay: { milliseconds: 1 } };
  const store = withoutSending(home.store);
  const { processor } = createReaction({
    policies: [orderPolicy(grant, send)],
    ...home.parts,
    store,
    queue,
    alerts,
    emission,
  });
  const result = await processor.emit(testCtx(), order("1"));
  assert.deepEqual([result.status, result.event?.status], ["abandoned", "undispatched"]);
  assert.deepEqual(
    result.commands.map(({ status }) => status),
    ["succeeded", "pending"],
  );
  assert.deepEqual(codes, ["event_abandoned"]);
  assert.equal((await home.store.readEvent(result.event?.id ?? ""))?.event.status, "undispatched");
  works = true;
  at += 60_000;
  assert.equal((await processor.sweep(testCtx({ entry: "scheduled" }))).dispatched, 1);
  assert.deepEqual(await rows(messages), [{ event: result.event?.id, queue: "async-policy-task" }]);
  assert.equal((await home.store.readEvent(result.event?.id ?? ""))?.event.status, "dispatched");

  works = false;
  const second = await processor.emit(testCtx(), order("2"));
  assert.deepEqual([second.status, second.event?.status], ["abandoned", "undispatched"]);
  works = true;
  const again = await processor.emit(testCtx(), order("2"));
  assert.deepEqual([again.status, again.event?.status], ["duplicate", "dispatched"], "the next emit sends as well");
  assert.equal((await rows(messages)).filter(({ event }) => event === second.event?.id).length, 1);
  assert.equal((await processor.emit(testCtx(), order("2"))).status, "duplicate");
  assert.equal((await rows(messages)).length, 2, "and no further one");
});

test("RX-23 a duplicate first finishes the sync commands that nobody runs, and takes none from who does", async (t) => {
  let at = Date.now();
  const { home } = await openSqliteHome(t, { now: () => new Date(at) });
  const { grant, send, attempts } = orderCommands();
  const down = Object.assign(Object.create(home.store) as typeof home.store, {
    sendsInTransaction: true,
    createEvent: home.store.createEvent.bind(home.store),
    leaseCommand: () => Promise.reject(new Error("down")),
    markDispatched: home.store.markDispatched.bind(home.store),
  });
  const policies = [orderPolicy(grant, send)];
  const first = await createReaction({ policies, ...home.parts, store: down }).processor.emit(testCtx(), order("1"));
  assert.deepEqual([first.status, first.commands[0]?.status], ["accepted", "pending"]);
  const { processor } = createReaction({ policies, ...home.parts });
  const again = await processor.emit(testCtx(), order("1"));
  assert.deepEqual([again.status, again.commands[0]?.status, attempts.length], ["duplicate", "succeeded", 1]);

  const other = await createReaction({ policies, ...home.parts, store: down }).processor.emit(testCtx(), order("2"));
  const [eventId, commandId] = [other.event?.id ?? "", other.commands[0]?.executionId ?? ""];
  const lease = { eventId, commandId, owner: "another", seenAttempt: 0, leaseMs: 60_000, sweepInMs: 120_000 };
  await home.store.leaseCommand(lease);
  const held = await processor.emit(testCtx(), order("2"));
  assert.deepEqual([held.status, held.commands[0]?.status, attempts.length], ["duplicate", "running", 1]);
  at += 60_001;
  const expired = await processor.emit(testCtx(), order("2"));
  assert.deepEqual(
    [expired.commands[0]?.status, attempts.length],
    ["running", 1],
    "that is the consumer's to take over",
  );
});

test("RX-12 a sync command that somebody else was quicker with is answered as it stands, not as it was", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant, send, attempts } = orderCommands();
  const policies = [orderPolicy(grant, send)];
  const { processor } = createReaction({ policies, ...home.parts });
  let isReadable = true;
  // Between the write of the event and the first lease, another process emits the same event.
  const late = Object.assign(Object.create(home.store) as typeof home.store, {
    sendsInTransaction: true,
    createEvent: async (...args: Parameters<typeof home.store.createEvent>) => {
      const created = await home.store.createEvent(...args);
      await processor.emit(testCtx(), order(args[0].idempotencyKey.slice("order-paid:".length)));
      return created;
    },
    leaseCommand: home.store.leaseCommand.bind(home.store),
    readEvent: (id: string) => (isReadable ? home.store.readEvent(id) : Promise.reject(new Error("down"))),
  });
  const other = createReaction({ policies, ...home.parts, store: late });
  const seen = await other.processor.emit(testCtx(), order("1"));
  assert.deepEqual(
    [seen.status, seen.event?.status, seen.commands[0]?.status, seen.commands[1]?.status],
    ["accepted", "dispatched", "succeeded", "pending"],
  );
  isReadable = false;
  const unseen = await other.processor.emit(testCtx(), order("2"));
  assert.deepEqual(
    [unseen.status, unseen.commands[0]?.status],
    ["accepted", "pending"],
    "the write counts, not the look",
  );
  assert.equal(attempts.length, 2);
});

test("the record of a throw has its words, the log has the error itself with its stack", async (t) => {
  const { home } = await openSqliteHome(t);
  const error = new RangeError("out of stock");
  const { grant } = orderCommands({ grant: () => Promise.reject(error) }, { maxAttempts: 1 });
  const logger = listeningLogger();
  const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts });
  const { event, commands } = await processor.emit(testCtx({ logger }), order("1"));
  assert.deepEqual(commands[0]?.error, { code: "exception", message: "RangeError: out of stock" });
  assert.deepEqual(
    logger.logged.map(({ level, attributes }) => ({ level, attributes })),
    [
      {
        level: "warn",
        attributes: { error, eventId: event?.id, commandId: commands[0]?.executionId, attempt: 1 },
      },
    ],
  );
});

test("a value that cannot even be logged, or a logger that throws, is a failed attempt and no end of the process", async (t) => {
  const { home } = await openSqliteHome(t);
  const unseen = {
    [Symbol.for("nodejs.util.inspect.custom")](): never {
      throw new Error("no look at me");
    },
  };
  const { grant } = orderCommands({ grant: () => Promise.reject(unseen) }, { maxAttempts: 1 });
  const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts });
  const written = t.mock.method(process.stderr, "write", () => true);
  const loggers = [consoleLogger, { ...listeningLogger(), warn: () => assert.fail("out of reach") }];
  const emitted = loggers.map((logger, index) => processor.emit(testCtx({ logger }), order(String(index))));
  const results = await Promise.all(emitted);
  const calls = written.mock.calls.map(({ arguments: [text] }) => String(text));
  written.mock.restore();
  assert.deepEqual(
    results.map(({ commands }) => [commands[0]?.status, commands[0]?.error?.code]),
    [
      ["failed", "exception"],
      ["failed", "exception"],
    ],
  );
  assert.ok(calls.some((text) => text.includes("a command's handler has thrown")));
});

test("a policy that throws makes emit reject, with nothing stored; so does an input that its schema refuses", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { send } = orderCommands();
  const failing = on(OrderPaid, () => Promise.reject(new RangeError("no policy today")));
  const wrong = on(OrderPaid, () => [send.with({ orderId: 1 as unknown as string })]);
  for (const [policy, expected] of [
    [failing, { name: "RangeError" }],
    [wrong, { code: "validation", message: "input of command send_receipt.orderId is not what the schema asks for" }],
  ] as const) {
    const { processor } = createReaction({ policies: [policy], ...home.parts });
    await assert.rejects(processor.emit(testCtx(), order("1")), expected);
  }
  assert.deepEqual(await rows("select count(*) as n from river_reaction_event"), [{ n: 0 }]);
});

test("a sync command that waits for one in review does not keep the async ones waiting", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const schema = z.object({});
  const first = defineCommand({ name: "first", mode: "sync", schema, execute: () => {} });
  const second = defineCommand({ name: "second", mode: "sync", schema, after: first, execute: () => {} });
  const third = defineCommand({ name: "third", mode: "async", schema, execute: () => {} });
  const Happened = defineEvent({ type: "happened", schema });
  const store = new Proxy(home.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "settleCommand") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return (params: Parameters<typeof target.settleCommand>[0]) =>
        params.status === "succeeded" ? Promise.reject(new Error("full")) : target.settleCommand(params);
    },
  });
  const emission = { firstDelay: { milliseconds: 1 } };
  const policies = [on(Happened, () => [first, second, third].map((each) => each.with({})))];
  const { processor } = createReaction({ policies, ...home.parts, store, emission });
  const result = await processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  assert.deepEqual(
    [result.status, result.event?.status, ...result.commands.map(({ status }) => status)],
    ["accepted", "dispatched", "needs_review", "pending", "pending"],
  );
  assert.deepEqual(await rows(messages), [{ event: result.event?.id, queue: "async-policy-task" }]);
});

test("a command that comes after a failed one is skipped, its neighbours are not", async (t) => {
  const { home } = await openSqliteHome(t);
  const schema = z.object({});
  const fails = defineCommand({
    name: "fails",
    mode: "sync",
    schema,
    execute: () => failed({ code: "no", message: "", retry: false }),
  });
  const dependent = defineCommand({ name: "dependent", mode: "sync", schema, after: fails, execute: () => {} });
  const further = defineCommand({ name: "further", mode: "sync", schema, after: dependent, execute: () => {} });
  const neighbour = defineCommand({ name: "neighbour", mode: "sync", schema, execute: () => {} });
  const Happened = defineEvent({ type: "happened", schema });
  const all = [fails, dependent, further, neighbour];
  const { processor } = createReaction({
    policies: [on(Happened, () => all.map((each) => each.with({})))],
    ...home.parts,
  });
  const result = await processor.emit(testCtx(), Happened.create({ idempotencyKey: "1", payload: {} }));
  assert.deepEqual(
    result.commands.map(({ status }) => status),
    ["failed", "skipped", "skipped", "succeeded"],
  );
  assert.equal(result.event?.status, "failed");
  const backwards = createReaction({
    policies: [on(Happened, () => [dependent.with({}), fails.with({})])],
    ...home.parts,
  });
  await assert.rejects(backwards.processor.emit(testCtx(), Happened.create({ idempotencyKey: "2", payload: {} })), {
    code: "configuration",
    message: 'command "dependent" must run later than "fails"',
  });
});
