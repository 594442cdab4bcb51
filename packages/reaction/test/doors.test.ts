// Every function that applications and homes call with values of their own says by a typed error what is wrong with them.
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, ReactionError, resolveFetchWorkerCtx } from "@riverqueue/reaction";
import { openSqliteHome } from "./testdata/open-home.ts";
import { OrderPaid, orderCommands, orderPolicy } from "./testdata/order-paid.ts";
import { testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const WRONG: readonly unknown[] = [undefined, null, 5, "x", {}, []];
/** Where leaving it out is right. */
const GIVEN = WRONG.slice(1);

test("what is no context, event, option, batch or record is refused by a typed error, and nothing is stored", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { processor } = createReaction({ policies: [orderPolicy(orderCommands().send)], ...home.parts });
  const ctx = testCtx();
  const event = OrderPaid.create({ idempotencyKey: "1", payload: { orderId: "1" } });
  const batch = { queue: "async-policy-task", messages: [], ackAll() {}, retryAll() {} };
  const made = { ...event };
  const doors: Readonly<Record<string, readonly [(value: never) => unknown, readonly unknown[]]>> = {
    "emit ctx": [(value) => processor.emit(value, event), [...WRONG, { ...ctx, logger: {} }, { ...ctx, now: 1 }]],
    "emit event": [(value) => processor.emit(ctx, value), WRONG],
    "emit event.type": [
      (type) => processor.emit(ctx, { ...made, type }),
      GIVEN.filter((type) => typeof type !== "string"),
    ],
    "emit event.idempotencyKey": [
      (idempotencyKey) => processor.emit(ctx, { ...made, idempotencyKey }),
      ["", "a\nb", "x".repeat(256), 5, null],
    ],
    "emit event.version": [(version) => processor.emit(ctx, { ...made, version }), [0, -1, 1.5, "1", null]],
    "emit event.payloadText": [
      (payloadText) => processor.emit(ctx, { ...made, payloadText }),
      ["no json", "", 5, null, JSON.stringify("x".repeat(100_000))],
    ],
    "emit event.occurredAt": [
      (occurredAt) => processor.emit(ctx, { ...made, occurredAt }),
      [...WRONG.filter((value) => value !== null), new Date(NaN)],
    ],
    "emit options": [
      (options) => processor.emit(ctx, event, options),
      [...GIVEN.filter((value) => JSON.stringify(value) !== "{}"), { tx: null }, { transaction: 1 }],
    ],
    "consume batch": [(value) => processor.consume(value, ctx), WRONG],
    "consume ctx": [(value) => processor.consume(batch, value), WRONG],
    sweep: [(value) => processor.sweep(value), WRONG],
    read: [
      (value) => OrderPaid.read(value),
      [...WRONG, { payload: { orderId: "1" } }, { version: 1 }, { payload: { orderId: "1" }, version: "1" }],
    ],
    create: [(value) => OrderPaid.create(value), WRONG],
    resolveFetchWorkerCtx: [
      (value) => resolveFetchWorkerCtx(value),
      [...WRONG, { get() {} }, { req: { header() {} } }],
    ],
    createReaction: [(value) => createReaction(value), WRONG],
    "createReaction parts": [
      (value) =>
        createReaction({
          policies: value,
          commands: value,
          queues: value,
          store: value,
          queue: value,
          queueNames: value,
        }),
      WRONG,
    ],
  };
  for (const [name, [call, values]] of Object.entries(doors)) {
    for (const value of values) {
      await assert.rejects(
        async () => call(value as never),
        (error: unknown) => error instanceof ReactionError && ["validation", "configuration"].includes(error.code),
        `${name}: ${JSON.stringify(value)}`,
      );
    }
  }
  assert.deepEqual(await rows("select 1 from river_reaction_event"), []);
  assert.equal((await processor.emit(ctx, made)).status, "accepted", "a copy of an event is one");
});
