// What the embedded home writes together: the result of a command and the end of its message, a dead letter and the end of
// the message it was made of. The database is made to refuse one half; then the other must not be there either.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { createReaction, defineQueue, type ReactionOptions } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Client, type PeriodicJob, type QueueConfig, Workers } from "riverqueue";
import { type OpenHome, openPostgresHome, openSqliteHome } from "../testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy } from "../testdata/order-paid.ts";
import { listeningLogger, testCtx } from "../testdata/test-ctx.ts";

failOnLeaks();

const order = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });

/** Statements that make a database refuse what `condition` says of a written job, and that make it take it again. */
const REFUSAL: Readonly<Record<string, (event: string, condition: string) => readonly string[]>> = {
  SQLite: (event, condition) => [
    `create trigger refusal before ${event} on river_job when ${condition} begin select raise(abort, 'refused'); end`,
  ],
  Postgres: (event, condition) => [
    "create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$",
    `create trigger refusal before ${event} on river_job for each row when (${condition}) execute function refuse()`,
  ],
};
const TAKEN_AGAIN: Readonly<Record<string, string>> = {
  SQLite: "drop trigger refusal",
  Postgres: "drop trigger refusal on river_job",
};

const HOMES: Readonly<
  Record<string, [register: typeof postgresTest, open: (t: TestContext) => Promise<OpenHome<unknown>>]>
> = {
  SQLite: [(title, body) => void test(title, body), openSqliteHome],
  Postgres: [postgresTest, openPostgresHome],
};

/** Starts a client that works the reaction's queues. */
async function start(opened: OpenHome<unknown>, options: Partial<ReactionOptions>) {
  const { codes, alerts } = alertCodes();
  const reaction = createReaction({
    policies: [],
    ...(opened.home.parts as object),
    emission: { firstDelay: { milliseconds: 20 } },
    alerts,
    ...options,
  } as ReactionOptions);
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [
    new Workers(),
    {},
    [],
  ];
  opened.home.register({ workers, queues, periodicJobs, reaction });
  for (const queue of Object.keys(queues)) {
    queues[queue] = { ...queues[queue], pollInterval: { milliseconds: 100 } } as QueueConfig;
  }
  const client = new Client(opened.driver, { workers, queues, leaderElectionDisabled: true, logger: false });
  const run = await client.start();
  opened.beforeClose(() => run.stop());
  return { reaction, codes, client };
}

for (const [name, [register, open]] of Object.entries(HOMES)) {
  const refuse = async (opened: OpenHome<unknown>, event: string, condition: string): Promise<void> => {
    for (const statement of REFUSAL[name]?.(event, condition) ?? []) await opened.rows(statement);
  };

  register(`RX-21 on ${name} the result of a command and the end of its message are one write`, async (t) => {
    const opened = await open(t);
    const { send, attempts } = orderCommands();
    await refuse(opened, "update", "new.state = 'completed'");
    const { reaction, codes } = await start(opened, { policies: [orderPolicy(send)] });
    await reaction.processor.emit(testCtx(), order);
    await pollUntil(() => codes.includes("result_unwritten"));
    assert.deepEqual(await opened.rows("select status, result from river_reaction_command"), [
      { status: "running", result: null },
    ]);
    await opened.rows(TAKEN_AGAIN[name] ?? "");
    const [both] = await pollUntil(async () => {
      const rows = await opened.rows(
        "select e.status, j.state from river_reaction_event as e, river_job as j where j.queue = 'async-policy-task'",
      );
      return rows[0]?.["status"] === "completed" && rows;
    });
    assert.deepEqual(both, { status: "completed", state: "completed" });
    assert.equal(attempts.length, 1);
  });

  register(
    `on ${name} a dead letter is inserted in the transaction that discards, or the message is kept`,
    async (t) => {
      const opened = await open(t);
      const dead: unknown[] = [];
      const deadLetters = defineQueue({
        name: "mail-dead",
        batchSize: 1,
        consume: ({ messages }) => void dead.push(...messages.map(({ body }) => body)),
      });
      const mail = defineQueue({
        name: "mail",
        batchSize: 1,
        maxRetries: 0,
        deadLetterQueue: "mail-dead",
        consume: (batch) => batch.retryAll(),
      });
      await refuse(opened, "insert", "new.queue = 'mail-dead'");
      const { client } = await start(opened, { queues: [mail, deadLetters] });
      await opened.home.sender(mail).send([{ body: "bad" }]);
      const [kept] = await pollUntil(async () => {
        const rows = await opened.rows("select id, state from river_job where queue = 'mail' and state = 'scheduled'");
        return rows.length > 0 && rows;
      });
      await opened.rows(TAKEN_AGAIN[name] ?? "");
      await client.jobs.retry(BigInt(String(kept?.["id"])));
      const [both] = await pollUntil(async () => {
        const rows = await opened.rows(
          `select (select state from river_job where queue = 'mail') as ended,
          (select count(*) from river_job where queue = 'mail-dead') as dead`,
        );
        return rows[0]?.["ended"] === "discarded" && rows;
      });
      assert.equal(Number(both?.["dead"]), 1);
      await pollUntil(() => dead.length > 0);
      assert.deepEqual(dead, ["bad"]);
    },
  );
}

postgresTest("a write is tried again at once when the server has forgotten its prepared statements", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 1 });
  await createMigrator({ pool }, { line: "reaction" }).migrateUp();
  const home = createEmbeddedHome({ driver: new PgDriver(pool), logger: listeningLogger() });
  const { grant, send } = orderCommands();
  const { codes, alerts } = alertCodes();
  let tries = 0;
  const forget = (): Promise<unknown> => pool.query("deallocate all");
  const store = Object.assign(Object.create(home.store) as typeof home.store, {
    sendsInTransaction: true,
    createEvent: home.store.createEvent.bind(home.store),
    leaseCommand: home.store.leaseCommand.bind(home.store),
    settleCommand: async (...args: Parameters<typeof home.store.settleCommand>) => {
      if (++tries === 2) await forget();
      return home.store.settleCommand(...args);
    },
  });
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts, store, alerts });
  for (const id of ["1", "2"]) {
    const event = OrderPaid.create({ idempotencyKey: id, payload: { orderId: id } });
    const { status, commands } = await processor.emit(testCtx(), event);
    assert.deepEqual([status, commands[0]?.status], ["accepted", "succeeded"]);
  }
  assert.deepEqual([tries, codes], [2, []]);
  assert.equal((await pool.query("select 1 from river_job")).rowCount, 2);
  home.close();
});
