// A database that takes what it is sent and answers nothing, without a word: nothing of Reaction's may wait for it for ever.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { newEvent } from "@riverqueue/internal-test-kit/reaction/store-values";
import { createMigrator } from "@riverqueue/migrate";
import { createReaction } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Pool } from "pg";
import { MessageInserter } from "../../src/embedded/message-inserter.ts";
import { MessagesAtWork } from "../../src/embedded/messages-at-work.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy } from "../testdata/order-paid.ts";
import { listeningLogger, testCtx } from "../testdata/test-ctx.ts";

failOnLeaks();

const order = (id: number) =>
  OrderPaid.create({ idempotencyKey: `order-paid:${id}`, payload: { orderId: String(id) } });

/** A home whose connections go through a proxy. */
async function openBehindProxy(t: TestContext) {
  const lease = await leasePostgresDatabase(t);
  await createMigrator({ pool: lease.pool({ max: 1 }) }, { line: "reaction" }).migrateUp();
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = new Pool({ connectionString: proxy.url, max: 1 });
  pool.on("error", () => {});
  t.after(() => pool.end());
  const driver = new PgDriver(pool);
  const home = createEmbeddedHome({ driver, logger: listeningLogger(), statementTimeout: { milliseconds: 300 } });
  t.after(() => home.close());
  return { proxy, driver, home };
}

postgresTest("a store or sender whose database goes silent fails after the statement's time", async (t) => {
  const { proxy, home, driver } = await openBehindProxy(t);
  const { send } = orderCommands();
  const { codes, alerts } = alertCodes();
  const emission = { tries: 2, firstDelay: { milliseconds: 1 } };
  const { processor, operations } = createReaction({
    policies: [orderPolicy(send)],
    ...home.parts,
    alerts,
    emission,
  });
  const { event } = await processor.emit(testCtx(), order(1));
  const attempt = {
    job: { id: 1n, attempt: 1 },
    execution: { startedAt: Temporal.Now.instant(), attemptedBy: "me" },
  } as never;
  const dead = { queue: "mail-dead", maxAttempts: 1, message: { body: 1 } };
  const atWork = new MessagesAtWork(driver, new MessageInserter(driver, 300), 300);
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "a read": () => operations.getEvent(event?.id ?? ""),
    "a write": () => home.store.createEvent(newEvent({ send: false })),
    "a write in one transaction with a message": () => home.store.createEvent(newEvent({ send: true })),
    "a sender": () => home.sender({ name: "mail", maxRetries: 0 }).send([{ body: 1 }]),
    "a dead letter": () => atWork.replace(attempt, "given up", dead),
    "an entry of the key-value store": () => home.keyValue.get("k"),
  };
  for (const [what, call] of Object.entries(calls)) {
    assert.ok((await home.store.readEvent(event?.id ?? "")) !== null);
    const release = proxy.stall();
    await assert.rejects(call(), { code: "database", retryable: true }, what);
    release();
  }
  proxy.stall();
  proxy.accept(false);
  const result = await processor.emit(testCtx(), order(2));
  assert.equal(result.status, "abandoned");
  assert.ok(codes.includes("event_abandoned"));
  proxy.accept(true);
  assert.equal((await processor.emit(testCtx(), order(2))).status, "accepted");
});
