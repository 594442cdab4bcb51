import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { QUEUE_RULES } from "@riverqueue/internal-test-kit/reaction/queue-rules";
import { createReaction, defineQueue, type OutgoingMessage } from "@riverqueue/reaction";
import { runBatch, splitMessages } from "@riverqueue/reaction/home";
import { type QueueConfig, Workers } from "riverqueue";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes } from "./testdata/order-paid.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const sizeOf = (messages: readonly OutgoingMessage[]) =>
  messages.reduce((sum, { body }) => sum + Buffer.byteLength(JSON.stringify(body)), 0);

test("E03 messages are split by bytes and by count, and one that is too large is refused before anything is sent", async (t) => {
  const hundred = Array.from({ length: 100 }, (_, index) => ({ body: `${index}`.padEnd(2998, "x") }));
  const groups = splitMessages(hundred);
  assert.deepEqual(groups.flat(), hundred);
  assert.deepEqual(
    groups.map((group) => group.length),
    [82, 18],
  );
  // A queue counts 100 bytes of its own with each message.
  for (const group of groups) assert.ok(sizeOf(group) + 100 * group.length <= 256_000);
  const small = Array.from({ length: 250 }, (_, body) => ({ body }));
  assert.deepEqual(
    splitMessages(small).map((group) => group.length),
    [100, 100, 50],
  );
  const four = "😀".repeat(32_500);
  assert.equal(Buffer.byteLength(four), 130_000);
  const { home, rows } = await openSqliteHome(t);
  await assert.rejects(home.queue.send([{ body: 1 }, { body: four }]), {
    code: "message_too_large",
    message: "messages[1] is 130002 bytes as JSON; a queue takes at most 127900",
  });
  assert.deepEqual(await rows("select 1 from river_job"), []);
  const largest = `${"😀".repeat(31_974)}xx`;
  assert.equal(Buffer.byteLength(JSON.stringify(largest)), 127_900);
  assert.deepEqual(splitMessages([{ body: largest }]), [[{ body: largest }]]);
  assert.throws(() => splitMessages([{ body: `${largest}x` }]), { code: "message_too_large" });
});

for (const rule of QUEUE_RULES) {
  test(`a batch run by hand keeps the rule: ${rule.title}`, async () => {
    const logger = listeningLogger();
    const bodies = ["a", "b", "c"];
    const received = bodies.map((body, index) => ({ id: String(index), timestamp: new Date(0), attempts: 1, body }));
    const verdicts = await runBatch(rule.consume, "q", received, testCtx({ logger }));
    assert.deepEqual(
      bodies.filter((_, index) => verdicts[index]?.type === "retry"),
      rule.again,
    );
    const late = logger.logged.filter(({ message }) => message.includes("has no effect"));
    assert.deepEqual(
      late.map(({ attributes }) => attributes["call"]),
      rule.ignored,
    );
  });
}

test("a delay of a retry is kept, also when the consumer throws afterwards", async () => {
  const received = [{ id: "1", timestamp: new Date(0), attempts: 1, body: null }];
  const verdicts = await runBatch(
    ({ messages }) => {
      messages[0]?.retry({ delay: { seconds: 7 } });
      throw new Error("afterwards");
    },
    "q",
    received,
    testCtx(),
  );
  assert.deepEqual(verdicts, [{ type: "retry", delayMs: 7000 }]);
});

test("a verdict is passed on when it is said, once a message, and not at all when the home refuses it", async () => {
  const received = ["a", "b"].map((id) => ({ id, timestamp: new Date(0), attempts: 1, body: null }));
  const passed: string[] = [];
  const verdicts = await runBatch(
    ({ messages: [a, b] }) => {
      a?.ack();
      assert.deepEqual(passed, ["a ack"]);
      assert.throws(() => a?.retry({ delay: { days: 2 } }), RangeError);
      assert.throws(() => b?.retry({ delay: { days: 2 } }), RangeError);
      b?.retry({ delay: { seconds: 7 } });
      b?.ack();
    },
    "q",
    received,
    testCtx(),
    (verdict) => {
      if (verdict.type === "retry" && verdict.delayMs === 172_800_000) throw new RangeError("too long");
      return ({ id }) => void passed.push(`${id} ${verdict.type}`);
    },
  );
  assert.deepEqual(verdicts, [{ type: "ack" }, { type: "retry", delayMs: 7000 }]);
  assert.deepEqual(passed, ["a ack", "b retry"]);
});

test("RX-01 the three queues have the batches, concurrency and retries that they are for", async (t) => {
  const { home } = await openSqliteHome(t);
  const { queues } = createReaction({ policies: [], ...home.parts });
  assert.deepEqual(
    queues.map(({ definition }) => [
      definition.name,
      definition.batchSize,
      definition.maxConcurrency,
      definition.maxRetries,
      definition.deadLetterQueue,
    ]),
    [
      ["async-policy-task", 1, 1, 3, null],
      ["async-logger", 50, 1, 3, null],
      ["analytics-events", 8, 1, 3, null],
    ],
  );
});

const LOG = { id: "1", time: "2026-01-02T03:04:05.678Z", level: "info", message: "m", attributes: {} };
const VIEW = {
  id: "1",
  occurredAt: "2026-01-02T03:04:05.678Z",
  name: "page_view",
  path: "/",
  referrer: null,
  visitor: null,
};

/** A reaction whose log and analytics stores refuse what `refuses` says. */
async function refusing(t: TestContext, refuses: (id: string) => boolean) {
  const opened = await openSqliteHome(t);
  const { parts } = opened.home;
  const { codes, alerts } = alertCodes();
  const keyValue = Object.assign(Object.create(parts.keyValue) as typeof parts.keyValue, {
    put: async (key: string, value: string) =>
      refuses((JSON.parse(value) as { id: string }).id)
        ? Promise.reject(new Error("full"))
        : parts.keyValue.put(key, value),
  });
  const analyticsStore = Object.assign(Object.create(parts.analyticsStore) as typeof parts.analyticsStore, {
    write: async (events: readonly { id: string }[]) =>
      events.some(({ id }) => refuses(id))
        ? Promise.reject(new Error("full"))
        : parts.analyticsStore.write(events as never),
  });
  return { ...opened, codes, reaction: createReaction({ policies: [], ...parts, alerts, keyValue, analyticsStore }) };
}

test("RX-05 a message that cannot be written is given up on the third failure, with an alert, and not delivered a fourth time", async (t) => {
  const { reaction, codes } = await refusing(t, () => true);
  for (const [queue, body] of [
    ["async-logger", LOG],
    ["analytics-events", VIEW],
  ] as const) {
    const ctx = testCtx({ entry: "queue" });
    const verdicts = [];
    for (const attempts of [1, 2, 3])
      verdicts.push((await deliver(reaction.consume, ctx, { queue, body, attempts })).type);
    assert.deepEqual(verdicts, ["retry", "retry", "ack"]);
  }
  assert.deepEqual(codes, ["message_dropped", "message_dropped"]);
});

test("what of a batch can be written is acknowledged, the rest is retried, and what is malformed is dropped with an alert", async (t) => {
  const { reaction, codes } = await refusing(t, (id) => id === "bad");
  for (const [queue, body] of [
    ["async-logger", LOG],
    ["analytics-events", VIEW],
  ] as const) {
    const bodies = [body, { ...body, id: "bad" }, { ...body, id: "3" }, { strange: true }, null];
    const received = bodies.map((each, index) => ({
      id: String(index),
      timestamp: new Date(0),
      attempts: 1,
      body: each,
    }));
    const verdicts = await runBatch(reaction.consume, queue, received, testCtx({ entry: "queue" }));
    assert.deepEqual(
      verdicts.map(({ type }) => type),
      ["ack", "retry", "ack", "ack", "ack"],
    );
  }
  assert.deepEqual(
    codes,
    Array.from({ length: 4 }, () => "malformed_message"),
  );
});

test("wrong options of a queue are named, all at once", () => {
  assert.throws(() => defineQueue({ name: "No", batchSize: 0, maxRetrys: 1, retryDelayMs: 5, consume: 1 } as never), {
    code: "configuration",
    message:
      "queue.maxRetrys is not an option; did you mean maxRetries?; queue.retryDelayMs is not an option; use retryDelay with a " +
      "duration such as { seconds: 5 }; queue.name must be 1 to 63 lower-case letters, digits and hyphens; " +
      "queue.batchSize must be an integer of 1 to 100; queue.consume must be a function",
  });
});

test("a consumer that takes longer than its queue's timeout has failed, in every home; what it marked in time holds", async (t) => {
  const { home } = await openSqliteHome(t);
  const logger = listeningLogger();
  const queue = defineQueue({
    name: "mail",
    timeout: { milliseconds: 20 },
    consume({ messages }) {
      messages[0]?.ack();
      return new Promise(() => {});
    },
  });
  const reaction = createReaction({ policies: [], ...home.parts, queues: [queue] });
  const received = ["a", "b"].map((id) => ({ id, timestamp: new Date(0), attempts: 1, body: null }));
  const verdicts = await runBatch(reaction.consume, "mail", received, testCtx({ logger }));
  assert.deepEqual(
    verdicts.map(({ type }) => type),
    ["ack", "retry"],
  );
  const [failure] = logger.logged;
  assert.match(String(failure?.attributes["error"]), /the consumer took longer than 20 ms/);
  for (const timeout of [{ milliseconds: 0 }, { hours: 13 }, 5]) {
    assert.throws(() => defineQueue({ name: "mail", timeout: timeout as never, consume() {} }), {
      code: "configuration",
      message: /^queue\.timeout must be/,
    });
  }
  assert.equal(defineQueue({ name: "mail", consume() {} }).timeoutMs, 900_000);
});

test("what is no list of messages, and what is no queue's options, is named", async (t) => {
  const { home } = await openSqliteHome(t);
  for (const messages of [undefined, null, 5, "x", {}, { body: 1 }]) {
    const refusal = { code: "validation", message: "messages must be a list of messages" };
    await assert.rejects(home.queue.send(messages as never), refusal);
    assert.throws(() => splitMessages(messages as never), refusal);
  }
  for (const options of [undefined, null, 5, "x", []]) {
    assert.throws(() => defineQueue(options as never), { code: "configuration", message: /^queue must be an object/ });
  }
});

test("a queue is not its own dead-letter queue, which would never end", () => {
  assert.throws(() => defineQueue({ name: "mail", deadLetterQueue: "mail", consume() {} }), {
    code: "configuration",
    message: "queue.deadLetterQueue must be another queue",
  });
});

test("a queue is found by its own name only, whatever names objects inherit", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const consumed: unknown[] = [];
  const consume = ({ messages }: { readonly messages: readonly { readonly body: unknown }[] }): void =>
    void consumed.push(...messages.map(({ body }) => body));
  const queue = defineQueue({ name: "constructor", consume });
  const { codes, alerts } = alertCodes();
  const reaction = createReaction({ policies: [], ...home.parts, queues: [queue], alerts });
  assert.equal(reaction.queues.at(-1)?.actualName, "constructor");
  await home.sender(queue).send([{ body: 1 }]);
  assert.deepEqual(await rows("select queue from river_job"), [{ queue: "constructor" }]);
  const queues: Record<string, QueueConfig> = {};
  home.register({ workers: new Workers(), queues, periodicJobs: [], reaction });
  assert.ok(Object.keys(queues).includes("constructor"));
  assert.equal((await deliver(reaction.consume, testCtx(), { body: 1, queue: "constructor" })).type, "ack");
  assert.deepEqual(consumed, [1]);
  for (const name of ["__proto__", "toString", "valueOf"]) {
    assert.equal((await deliver(reaction.consume, testCtx(), { body: 1, queue: name })).type, "retry");
  }
  assert.deepEqual(codes, ["unknown_queue", "unknown_queue", "unknown_queue"]);
  const named = createReaction({
    policies: [],
    ...home.parts,
    queues: [queue],
    queueNames: Object.fromEntries([["constructor", "__proto__"]]),
  });
  const others: Record<string, QueueConfig> = {};
  home.register({ workers: new Workers(), queues: others, periodicJobs: [], reaction: named });
  assert.ok(Object.hasOwn(others, "__proto__"), "the client is to say what it thinks of the name");
});
