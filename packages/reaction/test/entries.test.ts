import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import * as published from "@riverqueue/reaction";
import {
  createReaction,
  defineCommand,
  defineEvent,
  type JsonValue,
  on,
  resolveFetchWorkerCtx,
  type WorkerCtx,
} from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import * as seam from "@riverqueue/reaction/home";
import { Hono } from "hono";
import { z } from "zod";
import { openSqliteHome } from "./testdata/open-home.ts";
import { OrderPaid, orderCommands, orderPolicy } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const addTotal = (payload: unknown): unknown => ({ ...(payload as object), total: 0 });

test("RX-28 an event is built by its type's create, which checks key and payload at once", () => {
  const event = OrderPaid.create({ idempotencyKey: "k", payload: { orderId: "1" } });
  assert.deepEqual(
    [event.type, event.idempotencyKey, event.version, event.payload, event.payloadText],
    ["order.paid", "k", 1, { orderId: "1" }, '{"orderId":"1"}'],
  );
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ idempotencyKey: "", payload: { orderId: "1" } }, /^idempotencyKey must be 1 to 255 characters/],
    [{ idempotencyKey: "x".repeat(256), payload: { orderId: "1" } }, /^idempotencyKey/],
    [{ idempotencyKey: "a\nb", payload: { orderId: "1" } }, /^idempotencyKey/],
    [{ idempotencyKey: "k", payload: { orderId: 1 } }, /^payload\.orderId is not what the schema asks for$/],
    [{ idempotencyKey: "k", payload: { orderId: 1n } }, /^payload must be JSON$/],
    [
      { idempotencyKey: "k", payload: { orderId: "x".repeat(100_000) } },
      /^payload must be at most 100000 bytes as JSON$/,
    ],
    [{ idempotencyKey: "k", key: "k", payload: { orderId: "1" } }, /^order\.paid\.key is not an option/],
    [
      { idempotencyKey: "k", occurredAt: new Date(NaN), payload: { orderId: "1" } },
      /^occurredAt must be a valid Date$/,
    ],
  ];
  for (const [input, message] of wrong) {
    assert.throws(() => OrderPaid.create(input as never), { name: "ValidationError", code: "validation", message });
  }
});

test("a payload is checked as it will be read: what JSON does not bring back is refused when the event is created", () => {
  const Dated = defineEvent({ type: "dated", schema: z.object({ at: z.date() }) });
  assert.throws(() => Dated.create({ idempotencyKey: "k", payload: { at: new Date(0) } }), {
    code: "validation",
    message: "payload.at is not what the schema asks for",
  });
  const Coerced = defineEvent({ type: "dated", schema: z.object({ at: z.coerce.date<Date>() }) });
  const event = Coerced.create({ idempotencyKey: "k", payload: { at: new Date(0) } });
  assert.deepEqual(event.payload, { at: new Date(0) });
  assert.deepEqual(Coerced.read({ payload: JSON.parse(event.payloadText) as JsonValue, version: 1 }), event.payload);
});

test("a payload of members that objects inherit changes no object", () => {
  const Any = defineEvent({ type: "any", schema: z.any() });
  const payload: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  const event = Any.create({ idempotencyKey: "k", payload });
  assert.equal(event.payloadText, JSON.stringify(payload));
  assert.equal("polluted" in {}, false);
  assert.deepEqual(Object.keys(event.payload as object), ["__proto__", "constructor"]);
});

test("a schema that has to wait is refused for an event, and what it rejects with harms nobody", async () => {
  const Waiting = defineEvent({
    type: "waiting",
    schema: { "~standard": { version: 1, vendor: "test", validate: () => Promise.reject(new Error("later")) } },
  });
  assert.throws(() => Waiting.create({ idempotencyKey: "k", payload: {} }), {
    code: "validation",
    message: /^payload has a schema that validates asynchronously/,
  });
  // By then an unhandled rejection would have failed this test.
  await new Promise((resolve) => setImmediate(resolve));
});

test("RX-29 RX-32 a route gets its context from resolveFetchWorkerCtx, the same one whoever asks; nobody can make one", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts });
  const logger = listeningLogger();
  const app = new Hono<{ Variables: { logger: typeof logger } }>();
  app.use(async (c, next) => {
    c.set("logger", logger);
    await next();
  });
  app.post("/webhook/:id", async (c) => {
    const ctx = resolveFetchWorkerCtx(c);
    assert.equal(resolveFetchWorkerCtx(c), ctx);
    assert.deepEqual([ctx.entry, ctx.requestId, ctx.logger], ["fetch", "request-7", logger]);
    ctx.waitUntil(Promise.reject(new RangeError("in the background")));
    const orderId = c.req.param("id");
    const event = OrderPaid.create({ idempotencyKey: `order-paid:${orderId}`, payload: { orderId } });
    return c.json((await processor.emit(ctx, event)).status);
  });
  const response = await app.request("/webhook/1", { method: "POST", headers: { "x-request-id": "request-7" } });
  assert.equal(await response.json(), "accepted");
  assert.ok(logger.logged.some(({ message }) => message === "work in the background failed"));
  assert.deepEqual(["createWorkerCtx" in published, "createWorkerCtx" in seam], [false, false]);
});

test("RX-29 RX-32 a job of the application and a script get their contexts from the embedded home", async (t) => {
  const at = new Date(7);
  const logger = listeningLogger();
  const { home } = await openSqliteHome(t, { env: { region: "eu" }, logger, now: () => at });
  const { processor } = createReaction({ policies: [orderPolicy(orderCommands().grant)], ...home.parts });
  const [ofJob, ofScript] = [home.workerCtx({ job: { id: 17n } }), home.workerCtx()];
  assert.deepEqual([ofJob.entry, ofJob.requestId, ofScript.entry], ["queue", "17", "scheduled"]);
  for (const [index, ctx] of [ofJob, ofScript].entries()) {
    assert.deepEqual([ctx.env, ctx.logger, ctx.now()], [{ region: "eu" }, logger, at]);
    const event = OrderPaid.create({ idempotencyKey: `order-paid:${index}`, payload: { orderId: "1" } });
    assert.equal((await processor.emit(ctx, event)).status, "accepted");
  }
});

test("RX-32 emitting works alike in a route, a scheduled run and a queue consumer", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(grant)], ...home.parts });
  for (const entry of ["fetch", "scheduled", "queue"] as const) {
    const event = OrderPaid.create({ idempotencyKey: entry, payload: { orderId: entry } });
    const { status, commands } = await processor.emit(testCtx({ entry }), event);
    assert.deepEqual([status, commands[0]?.status], ["accepted", "succeeded"]);
  }
});

test("RX-31 an application's module exports its one reaction, and emitting through it answers one of four words", async (t) => {
  const { home } = await openSqliteHome(t);
  const SomeEvent = defineEvent({ type: "some.event", schema: z.object({ id: z.number() }) });
  const note = defineCommand({ name: "note", mode: "sync", schema: z.object({ id: z.number() }), execute: () => {} });
  const policies = [
    on(SomeEvent, ({ event }) => (event.payload.id === 0 ? [] : [note.with({ id: event.payload.id })])),
  ];
  const reaction = createReaction({ policies, ...home.parts });
  const broken = createReaction({
    policies,
    ...home.parts,
    store: Object.assign(Object.create(home.store) as typeof home.store, {
      createEvent: () => Promise.reject(new Error("down")),
    }),
    emission: { tries: 1 },
  });
  const workerCtx: WorkerCtx = testCtx();
  const statuses: string[] = [];
  for (const [through, id] of [
    [reaction, 1],
    [reaction, 1],
    [reaction, 0],
    [broken, 2],
  ] as const) {
    const result = await through.processor.emit(
      workerCtx,
      SomeEvent.create({
        idempotencyKey: `some-event:${id}`,
        payload: { id },
      }),
    );
    statuses.push(result.status);
  }
  assert.deepEqual(statuses, ["accepted", "duplicate", "ignored", "abandoned"]);
});

test("events of older versions are upgraded when they are read", () => {
  const schema = z.object({ orderId: z.string(), total: z.number() });
  const Paid = defineEvent({ type: "order.paid", schema, version: 2, upgrade: addTotal });
  assert.deepEqual(Paid.read({ payload: { orderId: "1" }, version: 1 }), { orderId: "1", total: 0 });
  assert.throws(() => Paid.read({ payload: { orderId: "1" }, version: 2 }), { code: "validation" });
});

test("wrong options are named, all at once", () => {
  assert.throws(() => defineEvent({ type: "no space", schema: {} } as never), {
    code: "configuration",
    message: "event.type must be 1 to 128 letters, digits or . _ - : /; event.schema must be a Standard Schema",
  });
  assert.throws(
    () =>
      defineCommand({
        name: "a",
        mode: "later",
        schema: z.object({}),
        timeoutMs: 5,
        maxAttempts: 0,
        execute: null,
      } as never),
    {
      code: "configuration",
      message:
        "command.timeoutMs is not an option; use timeout with a duration such as { seconds: 5 }; " +
        'command.mode must be "sync" or "async"; command.execute must be a function; ' +
        "command.maxAttempts must be an integer of 1 to 100",
    },
  );
  assert.throws(
    () => createReaction({ policies: {}, lease: { months: 1 }, timeout: { hours: 1 }, queueName: 1 } as never),
    {
      code: "configuration",
      message: new RegExp(
        [
          "options\\.queueName is not an option; did you mean queueNames\\?",
          "options\\.lease must be a duration of days or smaller units, such as \\{ seconds: 5 \\}",
          "options\\.timeout must be at most 59999 ms",
          "options\\.store must have a function createEvent",
          "options\\.queue must have a function send",
          "options\\.policies must be a list of policies made by on\\(\\)",
        ].join("; "),
      ),
    },
  );
});

test("times that timers cannot wait for are refused, and so is what is no logger", async (t) => {
  const { home, driver } = await openSqliteHome(t);
  const longest = { milliseconds: 2_147_483_647 };
  const schema = z.object({});
  const command = { name: "a", mode: "sync", schema, execute: () => {} } as const;
  assert.throws(() => defineCommand({ ...command, timeout: { days: 25 } }), {
    code: "configuration",
    message: "command.timeout must be at most 2147483647 ms",
  });
  assert.equal(defineCommand({ ...command, timeout: longest }).timeoutMs, 2_147_483_647);
  assert.throws(() => createReaction({ policies: [], ...home.parts, lease: { days: 25 } }), {
    code: "configuration",
    message: "options.lease must be at most 2147483647 ms",
  });
  const reaction = createReaction({ policies: [], ...home.parts, lease: longest });
  const refused = {
    code: "configuration",
    message: "options.logger must have functions debug, info, warn, error",
  };
  assert.throws(() => createEmbeddedHome({ driver, logger: { warn() {} } as never }), refused);
  assert.throws(() => reaction.logs?.createLogger({ logger: 7 as never }), refused);
});

test("a command's timeout is shorter than the lease, or refused where the command is first named", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { send } = orderCommands({}, { timeout: { seconds: 60 } });
  const refused = {
    code: "configuration",
    message: 'command "send_receipt" has a timeout of 60000 ms, which must be shorter than the lease of 60000 ms',
  };
  const policies = [orderPolicy(send)];
  assert.throws(() => createReaction({ policies, commands: [send], ...home.parts }), refused);
  const event = OrderPaid.create({ idempotencyKey: "1", payload: { orderId: "1" } });
  await assert.rejects(createReaction({ policies, ...home.parts }).processor.emit(testCtx(), event), refused);
  assert.deepEqual(await rows("select 1 from river_reaction_event"), []);
  const longer = createReaction({ policies, commands: [send], ...home.parts, lease: { seconds: 61 } });
  assert.equal((await longer.processor.emit(testCtx(), event)).status, "accepted");
});

test("a Temporal.Duration is a duration as well", async (t) => {
  const { home } = await openSqliteHome(t);
  const lease = Temporal.Duration.from({ minutes: 2, milliseconds: 5 });
  assert.equal(createReaction({ policies: [], ...home.parts, lease }).leaseMs, 120_005);
});
