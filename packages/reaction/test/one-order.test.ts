// What is declared first begins and ends first, whoever runs it, and the message goes out with the last sync command's end.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type CommandMode, createReaction, defineCommand, defineEvent, on } from "@riverqueue/reaction";
import { z } from "zod";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { testCtx } from "./testdata/test-ctx.ts";
import { withoutSending } from "./testdata/without-sending.ts";

failOnLeaks();

const schema = z.object({});
const Happened = defineEvent({ type: "happened", schema });
const happened = Happened.create({ idempotencyKey: "1", payload: {} });
const SENT = "select json_extract(args, '$.body.event') as event from river_job";

/** An event with these commands; each can be held up between its beginning and its end. */
async function subject(t: TestContext, sends: boolean, ...modes: readonly (readonly [string, CommandMode])[]) {
  const { home, rows } = await openSqliteHome(t);
  const order: string[] = [];
  const holds = new Map<string, { begun: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> }>();
  const commands = modes.map(([name, mode]) =>
    defineCommand({
      name,
      mode,
      schema,
      execute: async () => {
        order.push(`${name} begins`);
        const hold = holds.get(name);
        hold?.begun.resolve();
        await hold?.go.promise;
        order.push(`${name} ends`);
      },
    }),
  );
  const hold = (name: string) => {
    const made = { begun: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
    holds.set(name, made);
    return made;
  };
  const store = sends ? home.store : withoutSending(home.store);
  const policies = [on(Happened, () => commands.map((command) => command.with({})))];
  const options = { policies, ...home.parts, store };
  const reaction = createReaction(options);
  const emit = () => reaction.processor.emit(testCtx(), happened);
  const deliverAs = (eventId: string | undefined, attempts = 1) =>
    deliver(reaction.consume, testCtx({ entry: "queue" }), { body: { event: eventId }, attempts });
  const status = async (id: string | undefined) => (await home.store.readEvent(id ?? ""))?.event.status;
  return { order, hold, emit, deliverAs, options, status, messages: () => rows(SENT) };
}

const TWO_SYNC = [
  ["s1", "sync"],
  ["s2", "sync"],
  ["a", "async"],
] as const;

for (const sends of [true, false]) {
  const where = sends ? "with a store that sends in its transactions" : "with a store that cannot send";

  test(`RX-08 RX-10 a duplicate goes past no sync command that is running, and one message is sent, ${where}`, async (t) => {
    const { order, hold, emit, status, messages } = await subject(t, sends, ...TWO_SYNC);
    const s1 = hold("s1");
    const first = emit();
    await s1.begun.promise;
    const again = await emit();
    assert.deepEqual(
      [again.status, ...again.commands.map((command) => command.status)],
      ["duplicate", "running", "pending", "pending"],
    );
    s1.go.resolve();
    const { event, commands } = await first;
    assert.deepEqual(order, ["s1 begins", "s1 ends", "s2 begins", "s2 ends"]);
    assert.deepEqual(
      [event?.status, ...commands.map((command) => command.status)],
      ["dispatched", "succeeded", "succeeded", "pending"],
    );
    assert.equal(await status(event?.id), "dispatched");
    assert.deepEqual(await messages(), [{ event: event?.id }]);
  });

  test(`RX-10 whoever is late for a sync command sees to it that a message is sent, ${where}`, async (t) => {
    for (const otherSends of [true, false]) {
      const { emit, options, status, messages } = await subject(t, sends, ...TWO_SYNC);
      // Another process, which may have no queue, takes the second command just before this one does.
      const emission = { tries: 1 };
      const queue = otherSends ? options.queue : { send: () => Promise.reject(new Error("down")) };
      const other = createReaction({ ...options, queue, emission });
      let leases = 0;
      const store = new Proxy(options.store, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== "function") return value;
          return async (...args: unknown[]) => {
            if (key === "leaseCommand" && ++leases === 2) await other.processor.emit(testCtx(), happened);
            return value.apply(target, args) as unknown;
          };
        },
      });
      const { event } = await createReaction({ ...options, store }).processor.emit(testCtx(), happened);
      assert.equal(event?.status, "dispatched");
      assert.equal(await status(event.id), "dispatched");
      assert.deepEqual(await messages(), [{ event: event.id }]);
      assert.equal((await emit()).status, "duplicate");
      assert.equal((await messages()).length, 1);
    }
  });
}

test("RX-08 whoever loses a sync command to somebody else goes not past it", async (t) => {
  const { order, hold, emit, options } = await subject(t, true, ...TWO_SYNC);
  const s1 = hold("s1");
  const quicker: ReturnType<typeof emit>[] = [];
  const store = new Proxy(options.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (key === "leaseCommand" && quicker.length === 0) {
          quicker.push(emit());
          await s1.begun.promise;
        }
        return value.apply(target, args) as unknown;
      };
    },
  });
  const late = await createReaction({ ...options, store }).processor.emit(testCtx(), happened);
  assert.deepEqual(
    [late.status, ...late.commands.map((command) => command.status)],
    ["accepted", "running", "pending", "pending"],
  );
  assert.deepEqual(order, ["s1 begins"]);
  s1.go.resolve();
  await Promise.all(quicker);
  assert.deepEqual(order, ["s1 begins", "s1 ends", "s2 begins", "s2 ends"]);
});

test("RX-08 a delivery goes past no command that somebody else runs, sync or async, and comes back", async (t) => {
  const { order, hold, emit, deliverAs, status } = await subject(t, true, ...TWO_SYNC, ["b", "async"]);
  const [s1, a] = [hold("s1"), hold("a")];
  const first = emit();
  await s1.begun.promise;
  const { event } = await emit();
  assert.equal((await deliverAs(event?.id)).type, "retry");
  assert.deepEqual(order, ["s1 begins"]);
  s1.go.resolve();
  await first;
  const delivery = deliverAs(event?.id);
  await a.begun.promise;
  assert.equal((await deliverAs(event?.id, 2)).type, "retry");
  assert.equal(order.at(-1), "a begins");
  a.go.resolve();
  assert.equal((await delivery).type, "ack");
  assert.deepEqual(order.slice(-4), ["a begins", "a ends", "b begins", "b ends"]);
  assert.equal(await status(event?.id), "completed");
});

test("RX-08 a sync command of a process that died is the consumer's, and so is what is declared after it", async (t) => {
  const { order, emit, deliverAs, options, status } = await subject(t, true, ...TWO_SYNC);
  const down = new Proxy(options.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      // The lease is taken, and the process is not heard of any more.
      return key === "leaseCommand"
        ? (params: Parameters<typeof target.leaseCommand>[0]) =>
            target.leaseCommand({ ...params, leaseMs: -1 }).then(() => Promise.reject(new Error("gone")))
        : (value.bind(target) as unknown);
    },
  });
  const { event } = await createReaction({ ...options, store: down }).processor.emit(testCtx(), happened);
  assert.deepEqual(
    (await emit()).commands.map((command) => command.status),
    ["running", "pending", "pending"],
  );
  assert.deepEqual(order, []);
  assert.equal((await deliverAs(event?.id)).type, "ack");
  assert.deepEqual(order, ["s1 begins", "s1 ends", "s2 begins", "s2 ends", "a begins", "a ends"]);
  assert.equal(await status(event?.id), "completed");
});
