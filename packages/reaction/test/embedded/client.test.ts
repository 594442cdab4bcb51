import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { LAST_DELIVERY_RULES, QUEUE_RULES } from "@riverqueue/internal-test-kit/reaction/queue-rules";
import {
  createReaction,
  defineQueue,
  failed,
  type QueueBatch,
  type QueueDefinition,
  type ReactionOptions,
} from "@riverqueue/reaction";
import { Client, type PeriodicJob, type QueueConfig, type RunHandle, Workers } from "riverqueue";
import { type OpenHome, openPostgresHome, openSqliteHome } from "../testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy, type Work } from "../testdata/order-paid.ts";
import { listeningLogger, testCtx } from "../testdata/test-ctx.ts";

failOnLeaks();

const order = (id: number) =>
  OrderPaid.create({ idempotencyKey: `order-paid:${id}`, payload: { orderId: String(id) } });
/** The order 1 is late, the order 2 never comes. */
const sendLate: Work = ({ input, attempt }) =>
  input.orderId === "2" || (input.orderId === "1" && attempt < 3)
    ? failed({ code: "busy", message: "later" })
    : undefined;

const QUICK = { retry: { firstDelay: { milliseconds: 20 }, longestDelay: { milliseconds: 50 } } };

/** Builds and starts a client that works the reaction's queues. */
async function start(opened: OpenHome<unknown>, options: Partial<ReactionOptions>) {
  const { codes, alerts } = alertCodes();
  const logger = listeningLogger();
  const reaction = createReaction({
    policies: [],
    ...(opened.home.parts as object),
    alerts,
    ...QUICK,
    ...options,
  } as ReactionOptions);
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [
    new Workers(),
    {},
    [],
  ];
  opened.home.register({ workers, queues, periodicJobs, reaction });
  for (const name of Object.keys(queues))
    queues[name] = { ...queues[name], pollInterval: { milliseconds: 100 } } as QueueConfig;
  const maintenance = { schedulerInterval: { milliseconds: 100 }, electionInterval: { milliseconds: 100 } };
  const client = new Client(opened.driver, { workers, queues, periodicJobs, logger, maintenance });
  const run: RunHandle = await client.start();
  opened.beforeClose(() => run.stop());
  return { reaction, codes, logger, run };
}

const HOMES: Readonly<
  Record<string, [register: typeof postgresTest, open: (t: TestContext) => Promise<OpenHome<unknown>>]>
> = {
  SQLite: [(title, body) => void test(title, body), openSqliteHome],
  Postgres: [postgresTest, openPostgresHome],
};

for (const [name, [register, open]] of Object.entries(HOMES)) {
  register(
    `RX-10 RX-03 on ${name} async commands are worked through the queue, retries and all, at most four deliveries`,
    async (t) => {
      const opened = await open(t);
      const commands = orderCommands({ send: sendLate }, { maxAttempts: 4 });
      const { reaction, codes } = await start(opened, { policies: [orderPolicy(commands.grant, commands.send)] });
      const events = await Promise.all([0, 1, 2].map((id) => reaction.processor.emit(testCtx(), order(id))));
      const ended = await pollUntil(async () => {
        const read = await Promise.all(events.map(({ event }) => reaction.operations.getEvent(event?.id ?? "")));
        return read.every((details) => details?.event.finishedAt) && read;
      });
      assert.deepEqual(
        ended.map((details) => [details?.event.status, details?.commands[1]?.attempt]),
        [
          ["completed", 1],
          ["completed", 3],
          ["failed", 4],
        ],
      );
      assert.deepEqual(codes, ["command_failed", "delivery_exhausted"]);
      const jobs = await pollUntil(async () => {
        const rows = await opened.rows(
          "select state, attempt from river_job where kind = 'reaction_message' order by id",
        );
        return rows.every(({ state }) => state === "completed") && rows;
      });
      assert.deepEqual(
        jobs.map(({ attempt }) => Number(attempt)).toSorted((a, b) => a - b),
        [1, 3, 4],
      );
    },
  );

  register(
    `RX-05 RX-01 on ${name} log entries and analytics events go through their queues into their stores`,
    async (t) => {
      const opened = await open(t);
      const { reaction } = await start(opened, {});
      const from = new Date();
      const logger = reaction.logs?.createLogger({ logger: listeningLogger() });
      logger?.info({ order: 7n, nested: { at: new Date(0) } }, "paid");
      logger?.debug({}, "not sent");
      logger?.error({ error: new TypeError("no") }, "failed");
      await logger?.close();
      assert.deepEqual(logger?.figures, { buffered: 0, sent: 2, dropped: 0 });
      const id = "view-1";
      for (let time = 0; time < 2; time++) {
        await reaction.analytics?.track(testCtx(), { id, path: "/cart?coupon=1", visitor: { address: "192.0.2.1" } });
      }
      const logs = await pollUntil(async () => {
        const page = await reaction.logs?.read({ from, to: new Date(Date.now() + 1000) });
        return page?.entries.length === 2 && page.entries;
      });
      assert.deepEqual(
        logs.map(({ level, message, attributes }) => ({ level, message, attributes })),
        [
          { level: "info", message: "paid", attributes: { order: "7", nested: { at: "1970-01-01T00:00:00.000Z" } } },
          { level: "error", message: "failed", attributes: { error: { name: "TypeError", message: "no" } } },
        ],
      );
      await pollUntil(async () => {
        const rows = await opened.rows(
          "select 1 from river_job where kind = 'reaction_message' and state <> 'completed'",
        );
        return rows.length === 0;
      });
      const day = new Date().toISOString().slice(0, 10);
      const range = { from: day, to: day };
      assert.deepEqual(await reaction.analytics?.countByDay(range), [{ day, count: 1 }]);
      assert.deepEqual(await reaction.analytics?.topPages(range), [{ value: "/cart", count: 1 }]);
      const everything = JSON.stringify(await opened.rows("select * from river_reaction_analytics_event"));
      assert.doesNotMatch(everything, /192\.0\.2\.1|coupon/);
      assert.doesNotMatch(JSON.stringify(await opened.rows("select args from river_job")), /192\.0\.2\.1/);
    },
  );
}

test("RX-34 a queue of the application's own sees its messages only, in batches, and sends dead letters on once", async (t) => {
  const opened = await openSqliteHome(t);
  const batches: unknown[][] = [];
  const dead: unknown[] = [];
  const deadLetters = defineQueue({
    name: "mail-dead",
    batchSize: 1,
    consume: ({ messages }) => void dead.push(...messages.map(({ body }) => body)),
  });
  const mail = defineQueue({
    name: "mail",
    batchSize: 3,
    batchTimeout: { milliseconds: 50 },
    maxRetries: 1,
    deadLetterQueue: "mail-dead",
    consume: ({ messages }) => {
      batches.push(messages.map(({ body }) => body));
      for (const message of messages) if (message.body === "bad") message.retry();
    },
  });
  const { reaction, codes } = await start(opened, { queues: [mail, deadLetters] });
  await opened.home.sender(mail).send(["a", "bad", "c", "d"].map((body) => ({ body })));
  await pollUntil(() => dead.length > 0);
  assert.deepEqual(dead, ["bad"]);
  assert.ok(batches.every((batch) => batch.length <= 3));
  assert.deepEqual(batches.flat().map(String).toSorted(), ["a", "bad", "bad", "c", "d"]);
  assert.deepEqual(codes, []);
  assert.ok(reaction.queues.some(({ actualName }) => actualName === "mail"));
});

test("a message past its retries without a dead-letter queue is dropped with an alert", async (t) => {
  const opened = await openSqliteHome(t);
  const mail = defineQueue({ name: "mail", batchSize: 1, maxRetries: 0, consume: (batch) => batch.retryAll() });
  const { codes } = await start(opened, { queues: [mail] });
  await opened.home.sender(mail).send([{ body: 1 }]);
  await pollUntil(() => codes.length > 0);
  assert.deepEqual(codes, ["message_dropped"]);
  const [job] = await pollUntil(async () => {
    const rows = await opened.rows("select state, errors from river_job where queue = 'mail' and state = 'discarded'");
    return rows.length > 0 && rows;
  });
  assert.equal(job?.["state"], "discarded");
});

test("dead letters go to the queue by its actual name, where that is another", async (t) => {
  const opened = await openSqliteHome(t, { queueNames: { "mail-dead": "shop-mail-dead" } });
  const dead: unknown[] = [];
  const consume = ({ messages }: QueueBatch): void => void dead.push(messages[0]?.body);
  const deadLetters = defineQueue({ name: "mail-dead", batchSize: 1, consume });
  const mail = defineQueue({
    name: "mail",
    batchSize: 1,
    maxRetries: 0,
    deadLetterQueue: "mail-dead",
    consume: (batch) => batch.retryAll(),
  });
  await start(opened, { queues: [mail, deadLetters] });
  await opened.home.sender(mail).send([{ body: "bad" }]);
  await pollUntil(() => dead.length > 0);
  assert.deepEqual(await opened.rows("select queue from river_job where state = 'available'"), []);
});

test("a message whose body no client can read is dropped with an alert, not in silence", async (t) => {
  const opened = await openSqliteHome(t);
  const bodies: unknown[] = [];
  const mail = defineQueue({
    name: "mail",
    batchSize: 1,
    consume: ({ messages }) => void bodies.push(messages[0]?.body),
  });
  await opened.home.sender(mail).send([{ body: "a" }]);
  await opened.rows(String.raw`update river_job set args = jsonb('{"body":"\u0000"}')`);
  const { codes } = await start(opened, { queues: [mail] });
  await pollUntil(async () => (await opened.rows("select 1 from river_job where state = 'discarded'")).length > 0);
  assert.deepEqual([codes, bodies], [["malformed_message"], []]);
});

test("what is refused of a list of messages is named, and nothing of the list is sent", async (t) => {
  const { home, rows } = await openSqliteHome(t);
  const sender = home.sender({ name: "mail", maxRetries: 0 });
  const many = Array.from({ length: 100 }, (_, body) => ({ body }));
  for (const [last, message] of [
    [{ body: 1n }, "messages[100].body must be JSON"],
    [null, "messages[100].body must be JSON"],
    [{ body: ["a\0"] }, "messages[100].body must not hold U+0000 or half of a surrogate pair"],
    [{ body: { "\\\ud83d": 1 } }, "messages[100].body must not hold U+0000 or half of a surrogate pair"],
    [{ body: 1, delay: { seconds: -1 } }, "delay must be a duration such as { seconds: 5 }"],
  ] as const) {
    await assert.rejects(sender.send([...many, last as never]), { code: "validation", message });
  }
  assert.deepEqual(await rows("select 1 from river_job"), []);
  await sender.send([{ body: [String.raw`\u0000 \ud83d`, "😀"] }]);
  assert.equal((await rows("select 1 from river_job")).length, 1);
});

test("the rules of acknowledging and retrying hold in the embedded home", async (t) => {
  const logger = listeningLogger();
  const opened = await openSqliteHome(t, { logger });
  const seen = new Map<string, { first: string[]; again: string[] }>();
  const queues: QueueDefinition[] = QUEUE_RULES.map((rule, index) => {
    const notes = { first: [] as string[], again: [] as string[] };
    seen.set(rule.title, notes);
    return defineQueue({
      name: `rule-${index}`,
      batchSize: 3,
      batchTimeout: { milliseconds: 200 },
      consume: (batch) => {
        for (const { attempts, body } of batch.messages) notes[attempts === 1 ? "first" : "again"].push(String(body));
        if (batch.messages.some(({ attempts }) => attempts === 1)) rule.consume(batch);
      },
    });
  });
  await start(opened, { queues });
  for (const queue of queues) await opened.home.sender(queue).send(["a", "b", "c"].map((body) => ({ body })));
  await pollUntil(async () => {
    const rows = await opened.rows("select 1 from river_job where queue like 'rule-%' and state <> 'completed'");
    return rows.length === 0;
  });
  const ignored = logger.logged.filter(({ message }) => message.includes("has no effect"));
  for (const [index, rule] of QUEUE_RULES.entries()) {
    const notes = seen.get(rule.title);
    assert.deepEqual(notes?.first.toSorted(), ["a", "b", "c"], rule.title);
    assert.deepEqual(notes?.again.toSorted(), rule.again, rule.title);
    const calls = ignored.filter(({ attributes }) => attributes["queue"] === `rule-${index}`);
    assert.deepEqual(
      calls.map(({ level, attributes }) => [level, attributes["call"]]),
      rule.ignored.map((call) => ["warn", call]),
      rule.title,
    );
  }
});

const delivered = ({ messages }: QueueBatch): string[] =>
  messages.map(({ body, attempts }) => `${String(body)} ${attempts}`);

for (const [index, rule] of LAST_DELIVERY_RULES.entries()) {
  test(`a message past its retries in the embedded home: ${rule.title}`, async (t) => {
    const opened = await openSqliteHome(t);
    const [seen, dead]: [string[], string[]] = [[], []];
    const name = `last-${index}`;
    const common = { batchSize: 3, batchTimeout: { milliseconds: 20 } };
    const queue = defineQueue({
      ...common,
      name,
      maxRetries: 1,
      deadLetterQueue: "dead",
      consume: (batch) => {
        seen.push(...delivered(batch));
        rule.consume(batch);
      },
    });
    const deadLetters = defineQueue({
      ...common,
      name: "dead",
      maxRetries: 0,
      consume: (batch) => {
        dead.push(...delivered(batch));
        batch.retryAll();
      },
    });
    const { codes } = await start(opened, { queues: [queue, deadLetters] });
    await opened.home.sender(queue).send(["a", "b", "c"].map((body) => ({ body })));
    await pollUntil(async () => {
      const rows = await opened.rows(
        "select 1 from river_job where kind = 'reaction_message' and state not in ('completed', 'discarded')",
      );
      return rows.length === 0 && codes.length >= rule.dead.length;
    });
    assert.deepEqual(seen.toSorted(), rule.deliveries);
    assert.deepEqual(
      dead.toSorted(),
      rule.dead.map((body) => `${body} 1`),
    );
    // That queue has no retries and no dead letters.
    assert.deepEqual(
      codes,
      rule.dead.map(() => "message_dropped"),
    );
  });
}

test("an idle process sweeps, whoever leads", async (t) => {
  let at = Date.now();
  const opened = await openSqliteHome(t, { now: () => new Date(at) });
  const { grant, send, attempts } = orderCommands();
  const reaction = createReaction({ policies: [orderPolicy(grant, send)], ...opened.home.parts });
  const { event } = await reaction.processor.emit(testCtx(), order(1));
  await opened.rows("delete from river_job");
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [
    new Workers(),
    {},
    [],
  ];
  const idleSweep = { milliseconds: 20 };
  opened.home.register({ workers, queues, periodicJobs, reaction: reaction, idleSweep });
  const client = new Client(opened.driver, { workers, queues, leaderElectionDisabled: true, logger: false });
  const run = await client.start();
  opened.beforeClose(() => run.stop());
  at += 61_000;
  await pollUntil(async () => (await opened.home.store.readEvent(event?.id ?? ""))?.event.status === "completed");
  assert.deepEqual(
    attempts.map(({ name }) => name),
    ["grant_role", "send_receipt"],
  );
});

for (const [what, busyQueue] of [
  ["messages of other queues", "mail"],
  ["events, whatever else", "async-policy-task"],
] as const) {
  test(`a process that always has ${what} to work sweeps as well`, async (t) => {
    let at = Date.now();
    const opened = await openSqliteHome(t, { now: () => new Date(at) });
    const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async (): Promise<void> => {
      began.resolve();
      await goOn.promise;
    };
    const { grant, send } = orderCommands({ send: ({ input }) => (input.orderId === "1" ? hold() : undefined) });
    const mail = defineQueue({ name: "mail", batchSize: 1, consume: hold });
    const reaction = createReaction({ policies: [orderPolicy(grant, send)], ...opened.home.parts, queues: [mail] });
    const overdue = await reaction.processor.emit(testCtx(), order(2));
    await opened.rows("delete from river_job");
    const [workers, queues]: [Workers, Record<string, QueueConfig>] = [new Workers(), {}];
    const idleSweep = { milliseconds: 20 };
    opened.home.register({ workers, queues, periodicJobs: [], reaction, idleSweep });
    const run = await new Client(opened.driver, {
      workers,
      queues,
      leaderElectionDisabled: true,
      logger: false,
    }).start();
    opened.beforeClose(() => run.stop());
    opened.beforeClose(() => Promise.resolve(goOn.resolve()));
    if (busyQueue === "mail") await opened.home.sender(mail).send([{ body: 1 }]);
    else await reaction.processor.emit(testCtx(), order(1));
    await began.promise;
    at += 61_000;
    const wanted = overdue.event?.id ?? "";
    await pollUntil(async () => {
      const rows = await opened.rows("select json(args) as args from river_job where queue = 'async-policy-task'");
      return rows.some(({ args }) => String(args).includes(wanted));
    });
  });
}

test("registering twice, beside a queue of the same name, or with a bad pause between sweeps, is refused", async (t) => {
  const { home } = await openSqliteHome(t);
  const reaction = createReaction({ policies: [], ...home.parts }) as never;
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [
    new Workers(),
    {},
    [],
  ];
  home.register({ workers, queues, periodicJobs, reaction });
  assert.deepEqual(
    Object.entries(queues).map(([name, { maxWorkers }]) => [name, maxWorkers]),
    [
      ["async-policy-task", 1],
      ["async-logger", 50],
      ["analytics-events", 8],
      ["reaction-sweep", 1],
    ],
  );
  assert.throws(() => home.register({ workers, queues, periodicJobs, reaction }), {
    code: "configuration",
    message: /queues\.async-policy-task is taken/,
  });
  const fresh = { workers: new Workers(), queues: {}, periodicJobs: [], reaction };
  assert.throws(() => home.register({ ...fresh, idleSweep: { weeks: 1 } }), {
    code: "configuration",
    message: /^idleSweep must be a duration of days or smaller units/,
  });
  // Timers that are to wait for longer go off at once, and again and again.
  assert.throws(() => home.register({ ...fresh, idleSweep: { days: 25 } }), {
    code: "configuration",
    message: "idleSweep must be at most 2147483647 ms",
  });
  assert.deepEqual(fresh.queues, {});
});
