import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, DeletedContentError, failed } from "@riverqueue/reaction";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { OrderPaid, orderCommands, orderPolicy } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const ctx = testCtx();
const order = (id: number) =>
  OrderPaid.create({ idempotencyKey: `order-paid:${id}`, payload: { orderId: String(id) } });

const fails = ({ input }: { input: { orderId: string } }) =>
  input.orderId === "2" ? failed({ code: "no", message: "no mail", retry: false }) : undefined;

test("RX-14 the pages of events and commands are listed, filtered and opened by public queries", async (t) => {
  const { home } = await openSqliteHome(t);
  const { grant, send } = orderCommands({ send: fails });
  const { processor, operations, consume } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  for (const id of [1, 2, 3]) {
    const { event } = await processor.emit(ctx, order(id));
    if (id < 3) await deliver(consume, ctx, { body: { event: event?.id } });
  }
  const keys = async (filter: object) =>
    (await operations.listEvents(filter)).items.map(({ idempotencyKey }) => idempotencyKey).toSorted();
  assert.deepEqual(await keys({}), ["order-paid:1", "order-paid:2", "order-paid:3"]);
  assert.deepEqual(await keys({ status: "completed" }), ["order-paid:1"]);
  assert.deepEqual(await keys({ status: "failed", type: "order.paid" }), ["order-paid:2"]);
  assert.deepEqual(await keys({ type: "order.shipped" }), []);
  const commands = await operations.listCommands({ name: "send_receipt", status: "failed" });
  assert.deepEqual(
    commands.items.map(({ input, error }) => ({ input, error })),
    [{ input: { orderId: "2" }, error: { code: "no", message: "no mail" } }],
  );
  const ofKey = async (filter: object) =>
    (await operations.listCommands(filter)).items.map(({ name, status }) => `${name} ${status}`).toSorted();
  const idempotencyKey = "order-paid:2";
  assert.deepEqual(await ofKey({ idempotencyKey }), ["grant_role succeeded", "send_receipt failed"]);
  assert.deepEqual(await ofKey({ idempotencyKey, status: "failed" }), ["send_receipt failed"]);
  assert.deepEqual(await ofKey({ idempotencyKey, eventType: "order.shipped" }), []);
  assert.deepEqual(await ofKey({ idempotencyKey: "order-paid:4" }), []);
  const details = await operations.getEvent(commands.items[0]?.eventId ?? "");
  assert.deepEqual(details?.event.payload, { orderId: "2" });
  assert.deepEqual(
    details?.alerts.map(({ code, severity }) => ({ code, severity })),
    [{ code: "command_failed", severity: "high" }],
  );
  assert.equal(await operations.getEvent("none"), null);
});

test("an operator's actions are carried out and recorded with who and when", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  let works = false;
  const { send, attempts } = orderCommands(
    { send: () => (works ? undefined : failed({ code: "no", message: "", retry: false })) },
    { maxAttempts: 1 },
  );
  const { processor, operations, consume } = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  const { event, commands } = await processor.emit(ctx, order(1));
  const [eventId, commandId] = [event?.id ?? "", commands[0]?.executionId ?? ""];
  assert.equal(await operations.redispatchEvent(ctx, eventId, { by: "ana" }), true);
  assert.equal(await operations.retryCommand(ctx, commandId, { by: "ana" }), false);
  await deliver(consume, ctx, { body: { event: eventId } });
  assert.equal(await operations.redispatchEvent(ctx, eventId, { by: "ana" }), false);
  works = true;
  assert.equal(await operations.retryCommand(ctx, commandId, { by: "bob" }), true);
  assert.equal((await processor.sweep(ctx)).dispatched, 0, "it has been sent for");
  assert.equal((await rows("select 1 from river_job")).length, 3);
  await deliver(consume, ctx, { body: { event: eventId } });
  assert.equal(await operations.markDone(ctx, commandId, { by: "bob" }), false);
  const details = await operations.getEvent(eventId);
  assert.equal(details?.event.status, "completed");
  assert.equal(attempts.length, 2);
  assert.deepEqual(
    details?.actions.map(({ action, actor, takenAt }) => [action, actor, takenAt instanceof Date]),
    [
      ["redispatch", "ana", true],
      ["retry", "bob", true],
    ],
  );
  await assert.rejects(operations.retryCommand(ctx, commandId, { by: " " }), { code: "validation" });
});

test("a command is sent for although the mark of its review cannot be deleted", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const { send } = orderCommands({ send: fails });
  const keyValue = Object.assign(Object.create(home.keyValue) as typeof home.keyValue, {
    get: () => Promise.resolve(null),
    delete: () => Promise.reject(new Error("the key-value store is down")),
  });
  const { processor, operations, consume } = createReaction({
    policies: [orderPolicy(send)],
    ...home.parts,
    keyValue,
  });
  const { event, commands } = await processor.emit(ctx, order(2));
  await deliver(consume, ctx, { body: { event: event?.id } });
  await rows("delete from river_job");
  const logger = listeningLogger();
  const commandId = commands[0]?.executionId ?? "";
  assert.equal(await operations.retryCommand(testCtx({ logger }), commandId, { by: "ana" }), true);
  assert.equal((await rows("select 1 from river_job")).length, 1);
  assert.deepEqual(
    logger.logged.map(({ message }) => message),
    ["the review mark of a retried command could not be deleted"],
  );
});

test("the sweeper alerts from the tenth sweep on, and deletes what retention says", async (t) => {
  let at = Date.now();
  const { home } = await openSqliteHome(t, { now: () => new Date(at) });
  const { grant, send } = orderCommands();
  const { processor, operations, consume } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const { event } = await processor.emit(ctx, order(1));
  const alerts = async () => (await operations.listAlerts({})).items.map(({ code }) => code);
  for (let sweep = 1; sweep <= 11; sweep++) {
    at += 3_600_000;
    assert.equal((await processor.sweep(ctx)).dispatched, 1);
    assert.equal((await alerts()).length, Math.max(0, sweep - 9));
  }
  await deliver(consume, ctx, { body: { event: event?.id } });
  at += 91 * 86_400_000;
  assert.deepEqual(await processor.sweep(ctx), { dispatched: 0, expired: 1 });
  assert.deepEqual(await alerts(), []);
  const { items } = await operations.listEvents({});
  const [command] = (await operations.listCommands({ name: "send_receipt" })).items;
  assert.deepEqual([command?.status, command?.input, command?.attempts], ["succeeded", null, []]);
  assert.deepEqual(
    [items[0]?.payload, items[0]?.status, items[0]?.idempotencyKey],
    [null, "completed", "order-paid:1"],
  );
});

test("a command whose content retention has deleted is not retried: a typed error says so, and nothing is written", async (t) => {
  let at = Date.now();
  const { home, rows } = await openSqliteHome(t, { now: () => new Date(at) });
  const { send, attempts } = orderCommands({ send: fails });
  const { processor, operations, consume } = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  const { event, commands } = await processor.emit(ctx, order(2));
  const [eventId, commandId] = [event?.id ?? "", commands[0]?.executionId ?? ""];
  await deliver(consume, ctx, { body: { event: eventId } });
  at += 91 * 86_400_000;
  await processor.sweep(ctx);
  const before = await operations.getEvent(eventId);
  assert.deepEqual([before?.commands[0]?.status, before?.commands[0]?.error], ["failed", null]);
  await rows("delete from river_job");
  await assert.rejects(operations.retryCommand(ctx, commandId, { by: "ana" }), (error) => {
    assert.ok(error instanceof DeletedContentError);
    assert.match(error.message, /input was deleted by retention/);
    return error.code === "content_deleted";
  });
  assert.deepEqual(await operations.getEvent(eventId), before);
  assert.deepEqual(await rows("select 1 from river_job"), []);
  assert.equal(attempts.length, 1);
});
