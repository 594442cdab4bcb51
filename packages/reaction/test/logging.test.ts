import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createAsyncLogger, createReaction, type OutgoingMessage, readLogs } from "@riverqueue/reaction";
import { deliver } from "./testdata/deliver.ts";
import { openPostgresHome, openSqliteHome } from "./testdata/open-home.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

function memoryQueue() {
  const sent: OutgoingMessage[] = [];
  const queue = {
    failures: 0,
    send: async (messages: readonly OutgoingMessage[]) => {
      if (queue.failures-- > 0) throw new Error("the queue is down");
      sent.push(...messages);
    },
  };
  return { sent, queue };
}

test("entries are sent together, in order, and those of a flush that fails twice as well", async () => {
  const { sent, queue } = memoryQueue();
  const logger = createAsyncLogger({ queue, logger: listeningLogger(), flushSize: 3 });
  queue.failures = 2;
  for (const message of ["a", "b", "c", "d"]) logger.info({}, message);
  await logger.flush();
  assert.deepEqual(
    sent.map(({ body }) => (body as { message: string }).message),
    ["a", "b", "c", "d"],
  );
  const ids = sent.map(({ body }) => (body as { id: string }).id);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(logger.figures, { buffered: 0, sent: 4, dropped: 0 });
  await logger.close();
});

test("what is buffered when the logger is closed is sent; what cannot be is counted and said", async () => {
  const { sent, queue } = memoryQueue();
  const fallback = listeningLogger();
  const logger = createAsyncLogger({ queue, logger: fallback, bufferSize: 2 });
  for (const message of ["a", "b", "c"]) logger.warn({}, message);
  assert.deepEqual(logger.figures, { buffered: 2, sent: 0, dropped: 1 });
  await logger.close();
  assert.deepEqual([sent.length, logger.figures], [2, { buffered: 0, sent: 2, dropped: 1 }]);
  logger.info({}, "too late");
  assert.equal(logger.figures.dropped, 2);

  const other = createAsyncLogger({ queue, logger: fallback });
  other.info({}, "lost");
  queue.failures = 3;
  await other[Symbol.asyncDispose]();
  assert.deepEqual(other.figures, { buffered: 0, sent: 0, dropped: 1 });
  const said = fallback.logged.filter(({ message }) => message.startsWith("log entries were dropped"));
  assert.ok(said.length >= 5, "each drop is said, and the sum at the end");
});

test("an entry keeps its entry point alive until it is sent, and carries its request id", async () => {
  const { sent, queue } = memoryQueue();
  const logger = createAsyncLogger({ queue, logger: listeningLogger() });
  const waits: PromiseLike<unknown>[] = [];
  const child = logger.forEntry({ entry: "fetch", requestId: "r7", waitUntil: (work) => void waits.push(work) });
  child.info({ a: 1 }, "one");
  child.info({}, "two");
  assert.equal(waits.length, 1);
  await Promise.all(waits);
  assert.deepEqual(
    sent.map(({ body }) => (body as { attributes: unknown }).attributes),
    [
      { entry: "fetch", requestId: "r7", a: 1 },
      { entry: "fetch", requestId: "r7" },
    ],
  );
  await logger.close();
});

const fails = () => {
  throw new Error("the logger is broken");
};

test("neither a logger that throws nor a clock without a time ends the sending of entries", async (t) => {
  const { sent, queue } = memoryQueue();
  const told = t.mock.method(console, "error", () => {});
  const logger = createAsyncLogger({
    queue,
    logger: { debug: fails, info: fails, warn: fails, error: fails },
    now: () => new Date(now),
  });
  let now = NaN;
  logger.info({}, "no time");
  assert.deepEqual(logger.figures, { buffered: 0, sent: 0, dropped: 1 });
  now = 0;
  queue.failures = 3;
  logger.info({}, "not sent");
  await logger.flush();
  assert.deepEqual(logger.figures, { buffered: 0, sent: 0, dropped: 2 });
  logger.info({}, "sent");
  await logger.close();
  assert.deepEqual([sent.length, logger.figures], [1, { buffered: 0, sent: 1, dropped: 2 }]);
  const messages = told.mock.calls.map(({ arguments: [message] }) => String(message));
  assert.ok(
    messages.some((message) => /dropped: there is no time to be had/.test(message)),
    "the console is told instead",
  );
  assert.ok(messages.some((message) => /dropped: they could not be sent/.test(message)));
});

test("a flush that fails itself counts what it had as dropped, and the next one goes on", async () => {
  const { sent, queue } = memoryQueue();
  const timing = { monotonic: () => 0, after: () => () => {}, pause: () => Promise.reject(new Error("no timer")) };
  const logger = createAsyncLogger({ queue, logger: listeningLogger(), flushSize: 1000 }, timing);
  for (let index = 0; index < 150; index++) logger.info({ index }, "entry");
  queue.failures = 1;
  await logger.flush();
  assert.deepEqual(logger.figures, { buffered: 0, sent: 0, dropped: 150 });
  logger.info({}, "later");
  await logger.close();
  assert.deepEqual([sent.length, logger.figures], [1, { buffered: 0, sent: 1, dropped: 150 }]);
});

test("a queue that never answers holds up neither the entries that follow nor the end", async () => {
  const { sent, queue } = memoryQueue();
  let hangs = true;
  const logger = createAsyncLogger(
    {
      queue: { send: (messages) => (hangs ? new Promise(() => {}) : queue.send(messages)) },
      logger: listeningLogger(),
    },
    // The time has always come.
    { monotonic: () => 0, pause: () => Promise.resolve(), after: (_, callback) => (setImmediate(callback), () => {}) },
  );
  logger.info({}, "lost");
  await logger.flush();
  assert.deepEqual(logger.figures, { buffered: 0, sent: 0, dropped: 1 });
  hangs = false;
  logger.info({}, "later");
  await logger.close();
  assert.deepEqual([sent.length, logger.figures], [1, { buffered: 0, sent: 1, dropped: 1 }]);
});

test("entries are read back by time, in order and page by page, until they expire", async (t) => {
  let at = Date.parse("2026-03-01T23:59:59.000Z");
  const { home } = await openSqliteHome(t, { now: () => new Date(at) });
  const reaction = createReaction({ policies: [], ...home.parts, logExpiry: { hours: 1 } });
  const { sent, queue } = memoryQueue();
  const logger = createAsyncLogger({ queue, logger: listeningLogger(), now: () => new Date(at) });
  for (let index = 0; index < 5; index++) {
    logger.info({ index }, `entry ${index}`);
    at += 500;
  }
  await logger.close();
  const ctx = testCtx({ entry: "queue" });
  for (const { body } of sent.toReversed()) await deliver(reaction.consume, ctx, { queue: "async-logger", body });
  for (const { body } of sent) await deliver(reaction.consume, ctx, { queue: "async-logger", body });
  const read = async (from: string, to: string) => {
    const messages: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await readLogs(home.keyValue, { from: new Date(from), to: new Date(to), limit: 2, cursor });
      assert.ok(page.entries.length <= 2);
      messages.push(...page.entries.map(({ message }) => message));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return messages;
  };
  const all = ["entry 0", "entry 1", "entry 2", "entry 3", "entry 4"];
  assert.deepEqual(await read("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), all);
  assert.deepEqual(await read("2026-03-01T23:59:59.500Z", "2026-03-02T00:00:00.500Z"), ["entry 1", "entry 2"]);
  assert.deepEqual(await read("2026-03-02T01:00:00Z", "2026-03-03T00:00:00Z"), []);
  at += 3_600_000;
  assert.deepEqual(await read("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), []);
  assert.equal(await home.keyValue.deleteExpired(100), 5);
  await assert.rejects(readLogs(home.keyValue, { from: new Date(1), to: new Date(0) }), { code: "validation" });
});

test("no entry is refused for its content or its size, which would cost those that are sent with it", async (t) => {
  const { home, rows } = await openPostgresHome(t);
  const logger = createAsyncLogger({ queue: home.loggerQueue, logger: listeningLogger() });
  logger.info({ agent: "a\0b\uD800", "key\0": ["\0"], error: new Error("\0") }, "nul \0");
  logger.info({ text: "\u6C49".repeat(50_000) }, "wide");
  logger.info({ text: "\u0001".repeat(10_000) }, "\u0001".repeat(10_000));
  logger.info({}, "\u{1F600}".repeat(4096) + "x");
  await logger.close();
  assert.deepEqual(logger.figures, { buffered: 0, sent: 4, dropped: 0 });
  const stored = await rows("select args->'body' as body from river_job order by id");
  const bodies = stored.map(({ body }) => body as { message: string; attributes: Record<string, unknown> });
  assert.equal(bodies[0]?.message, "nul \uFFFD");
  assert.deepEqual(bodies[0]?.attributes, {
    agent: "a\uFFFDb\uFFFD",
    "key\uFFFD": ["\uFFFD"],
    error: { name: "Error", message: "\uFFFD" },
  });
  assert.deepEqual(bodies[1]?.attributes, { attributesDropped: true });
  assert.equal(bodies[2]?.message.length, 8192);
});

test("of a flush that fails half way, what the queue has taken is counted as sent", async () => {
  const sent: OutgoingMessage[] = [];
  const queue = {
    send: async (messages: readonly OutgoingMessage[]) => {
      if (sent.length > 0) throw new Error("full");
      sent.push(...messages);
    },
  };
  const logger = createAsyncLogger({ queue, logger: listeningLogger(), flushSize: 1000 });
  for (let index = 0; index < 150; index++) logger.info({ index }, "entry");
  await logger.close();
  assert.deepEqual([sent.length, logger.figures], [100, { buffered: 0, sent: 100, dropped: 50 }]);
});

test("attributes of any kind are logged, and none fails the caller", async () => {
  const { sent, queue } = memoryQueue();
  const logger = createAsyncLogger({ queue, logger: listeningLogger() });
  const cycle: Record<string, unknown> = { n: Infinity, big: 1n, symbol: Symbol("s"), when: new Date(NaN) };
  cycle["self"] = cycle;
  logger.info(cycle, "cyclic");
  logger.info({ text: "x".repeat(100_000) }, "large");
  logger.info({ error: new Error("out", { cause: new RangeError("in") }) }, "error");
  const hostile = {
    get broken(): never {
      throw new Error("no");
    },
  };
  logger.info(hostile, "hostile");
  const wide: unknown[] = Array.from({ length: 100 });
  logger.info({ wide: wide.fill(wide) }, "as many values as nobody has the time for");
  // As other loggers are called.
  logger.info({ n: 1 }, undefined as never);
  logger.info("text" as never, undefined as never);
  await logger.close();
  const attributes = sent.map(({ body }) => (body as { attributes: Record<string, unknown> }).attributes);
  assert.equal(attributes.length, 7);
  assert.equal(attributes[0]?.["big"], "1");
  assert.deepEqual(attributes[1], { attributesDropped: true });
  assert.deepEqual(attributes[2], {
    error: { name: "Error", message: "out", cause: { name: "RangeError", message: "in" } },
  });
  assert.deepEqual(attributes.slice(3), [
    { attributesDropped: true },
    { attributesDropped: true },
    { n: 1 },
    { value: "text" },
  ]);
});
