// What becomes of a message of an application's queue whose last delivery does not come to an end: it takes too long, or
// its process dies. Neither may be the end of the message without a word.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createReaction, defineQueue, type QueueDefinition, type QueueOptions } from "@riverqueue/reaction";
import { MessageWorker } from "../../src/embedded/message-worker.ts";
import { MessagesAtWork } from "../../src/embedded/messages-at-work.ts";
import { MessageInserter } from "../../src/embedded/message-inserter.ts";
import { type OpenHome, openPostgresHome, openSqliteHome } from "../testdata/open-home.ts";
import { startClient } from "../testdata/start-client.ts";
import { listeningLogger } from "../testdata/test-ctx.ts";

failOnLeaks();

const HOMES: Readonly<
  Record<string, [register: typeof postgresTest, open: (t: TestContext) => Promise<OpenHome<unknown>>]>
> = {
  SQLite: [(title, body) => void test(title, body), openSqliteHome],
  Postgres: [postgresTest, openPostgresHome],
};
const OVERDUE: Readonly<Record<string, string>> = {
  SQLite: "attempted_at = datetime('now', '-2 days'), attempted_by = jsonb('[\"gone\"]')",
  Postgres: "attempted_at = now() - interval '2 days', attempted_by = array['gone']",
};
const RESCUES = { electionInterval: { milliseconds: 100 }, rescuerInterval: { milliseconds: 50 } };

/** A queue `mail`, whose deliveries are noted, and one for its dead letters. */
function mailQueues(options: Partial<QueueOptions> & Pick<QueueOptions, "consume">) {
  const [seen, dead]: [string[], unknown[]] = [[], []];
  const mail = defineQueue({
    name: "mail",
    batchSize: 1,
    ...options,
    consume: (batch, ctx) => {
      seen.push(...batch.messages.map(({ body, attempts }) => `${String(body)} ${attempts}`));
      return options.consume(batch, ctx);
    },
  });
  const deadLetters = defineQueue({
    name: "mail-dead",
    batchSize: 1,
    consume: ({ messages }) => void dead.push(...messages.map(({ body }) => body)),
  });
  return { queues: [mail, deadLetters] as QueueDefinition[], mail, seen, dead };
}

const forever = (): Promise<void> => new Promise(() => {});
const ended = (opened: OpenHome<unknown>) => async () => {
  const rows = await opened.rows("select state, attempt from river_job where queue = 'mail' and state = 'discarded'");
  return rows.length > 0 && rows.map(({ attempt }) => Number(attempt));
};

for (const [name, [register, open]] of Object.entries(HOMES)) {
  for (const deadLetterQueue of ["mail-dead", undefined]) {
    const fate = deadLetterQueue === undefined ? "dropped with an alert" : "a dead letter";

    register(`on ${name} a message whose last delivery takes too long is ${fate}`, async (t) => {
      const opened = await open(t);
      const { queues, mail, seen, dead } = mailQueues({
        maxRetries: 1,
        timeout: { milliseconds: 50 },
        deadLetterQueue,
        consume: forever,
      });
      const { codes } = await startClient(opened, { queues });
      await opened.home.sender(mail).send([{ body: "a" }]);
      assert.deepEqual(await pollUntil(ended(opened)), [2]);
      await pollUntil(() => dead.length + codes.length > 0);
      assert.deepEqual(seen, ["a 1", "a 2"]);
      assert.deepEqual([dead, codes], deadLetterQueue === undefined ? [[], ["message_dropped"]] : [["a"], []]);
    });

    register(`on ${name} a message whose process died in its last delivery is ${fate}`, async (t) => {
      const opened = await open(t);
      const { queues, mail, seen, dead } = mailQueues({ maxRetries: 1, deadLetterQueue, consume: () => {} });
      await opened.home.sender(mail).send([{ body: "a" }]);
      await opened.rows(`update river_job set state = 'running', attempt = 2, ${OVERDUE[name]}`);
      const { codes, client } = await startClient(opened, { queues }, RESCUES);
      await pollUntil(ended(opened));
      await pollUntil(() => dead.length + codes.length > 0);
      assert.deepEqual(seen, [], "it has been delivered as often as it may be");
      assert.deepEqual([dead, codes], deadLetterQueue === undefined ? [[], ["message_dropped"]] : [["a"], []]);
      const [job] = await opened.rows("select id from river_job where queue = 'mail'");
      await client.jobs.retry(BigInt(String(job?.["id"])));
      await pollUntil(() => seen.length > 0);
      await pollUntil(async () => {
        const rows = await opened.rows("select 1 from river_job where queue = 'mail' and state = 'completed'");
        return rows.length > 0;
      });
      assert.deepEqual(seen, ["a 4"], "an operator may have it delivered once more");
    });
  }
}

test("what a consumer says about messages after its time has no effect and is logged", async (t) => {
  const logger = listeningLogger();
  const opened = await openSqliteHome(t, { logger });
  const late = Promise.withResolvers<void>();
  const said = Promise.withResolvers<void>();
  const { queues, mail, seen } = mailQueues({
    batchSize: 2,
    batchTimeout: { seconds: 10 },
    timeout: { milliseconds: 50 },
    async consume({ messages }) {
      const [first, second] = messages;
      if (first?.attempts !== 1) return;
      if (first.body === "a") first.ack();
      else second?.ack();
      await late.promise;
      for (const message of messages) message.ack();
      said.resolve();
    },
  });
  await startClient(opened, { queues });
  await opened.home.sender(mail).send([{ body: "a" }, { body: "b" }]);
  await pollUntil(async () => {
    const rows = await opened.rows(
      "select 1 from river_job where state in ('available', 'retryable', 'running') and attempt > 0",
    );
    return rows.length === 1 && logger.logged.some(({ message }) => message === "a queue consumer failed");
  });
  late.resolve();
  await said.promise;
  const ignored = logger.logged.filter(({ message }) => message.includes("has no effect"));
  assert.deepEqual(
    ignored.map(({ attributes }) => attributes["call"]),
    ["ack", "ack"],
  );
  await opened.home.sender(mail).send([{ body: "c" }]);
  await pollUntil(async () => {
    const rows = await opened.rows("select 1 from river_job where queue = 'mail' and state <> 'completed'");
    return rows.length === 0;
  });
  assert.deepEqual(seen.toSorted(), ["a 1", "b 1", "b 2", "c 1"]);
});

test("a message that waits for its turn loses no delivery, however long those before it take", async (t) => {
  const opened = await openSqliteHome(t);
  const { queues, mail, seen } = mailQueues({
    batchSize: 2,
    batchTimeout: { milliseconds: 1 },
    maxRetries: 3,
    timeout: { seconds: 1 },
    consume: ({ messages }) =>
      messages.some(({ body, attempts }) => body === "a" && attempts < 3) ? forever() : undefined,
  });
  await startClient(opened, { queues });
  const sender = opened.home.sender(mail);
  await sender.send([{ body: "a" }]);
  await pollUntil(() => seen.length > 0);
  await sender.send([{ body: "b" }]);
  await pollUntil(async () => {
    const rows = await opened.rows("select 1 from river_job where queue = 'mail' and state = 'running'");
    return rows.length === 2;
  });
  await pollUntil(() => seen.includes("b 1"));
  assert.ok(!seen.includes("b 2"));
});

test("an attempt may take as long as a message can have to wait and be consumed, for the slowest queue", async (t) => {
  const opened = await openSqliteHome(t);
  const [seconds, lease] = [1000, 60];
  const timeoutFor = (...queues: QueueDefinition[]): number => {
    const reaction = createReaction({ policies: [], ...opened.home.parts, queues });
    const inserter = new MessageInserter(opened.driver, 1000);
    const parts = { env: null, logger: listeningLogger(), now: undefined };
    return new MessageWorker(reaction, new MessagesAtWork(opened.driver, inserter, 1000), parts).timeoutMs;
  };
  // Log entries come in batches: one of them, and then that of the message.
  assert.ok(timeoutFor() > 2 * lease * seconds);
  const slow = defineQueue({ name: "slow", timeout: { hours: 1 }, batchTimeout: { seconds: 30 }, consume() {} });
  assert.ok(timeoutFor(slow) > (2 * 3600 + 30) * seconds);
  const alone = defineQueue({ name: "alone", batchSize: 1, timeout: { hours: 1 }, consume() {} });
  assert.ok(timeoutFor(alone) > 3600 * seconds && timeoutFor(alone) < 2 * 3600 * seconds);
});
