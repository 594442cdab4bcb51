import assert from "node:assert/strict";
import test from "node:test";
import { transaction } from "@riverqueue/driver-sqlite";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { PgDriver } from "@riverqueue/driver-pg";
import { createReaction } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { DatabaseSync } from "node:sqlite";
import { openSqliteHome } from "../testdata/open-home.ts";
import { OrderPaid, orderCommands, orderPolicy } from "../testdata/order-paid.ts";
import { testCtx } from "../testdata/test-ctx.ts";

failOnLeaks();

const order = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });
const ctx = testCtx();

test("C30 an emit in a transaction is accepted and pending, runs nothing before the commit, and settles after it", async (t) => {
  const { home, address, rows } = await openSqliteHome(t);
  const { grant, send, attempts } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const database = new DatabaseSync(address);
  t.after(() => database.close());
  const result = await transaction(database, async (tx) => {
    const emitted = await processor.emit(ctx, order, { tx });
    await assert.rejects(emitted.settle(), { code: "lifecycle" });
    return emitted;
  });
  assert.equal(result.status, "accepted");
  assert.deepEqual(
    result.commands.map(({ status }) => status),
    ["pending", "pending"],
  );
  assert.equal(attempts.length, 0);
  const settled = await result.settle();
  assert.deepEqual(
    [settled.status, ...settled.commands.map(({ status }) => status)],
    ["accepted", "succeeded", "pending"],
  );
  assert.equal((await rows("select 1 from river_job")).length, 1);
  const again = await result.settle();
  assert.deepEqual([again.status, attempts.length], ["accepted", 1]);
});

test("C30 after a rollback nothing is left, nothing has run, and settle says so", async (t) => {
  const { home, address, rows } = await openSqliteHome(t);
  const { grant, send, attempts } = orderCommands();
  const database = new DatabaseSync(address);
  t.after(() => database.close());
  for (const commands of [[grant, send], [send]]) {
    const { processor } = createReaction({ policies: [orderPolicy(...commands)], ...home.parts });
    let settle: (() => Promise<unknown>) | null = null;
    const rolledBack = transaction(database, async (tx) => {
      ({ settle } = await processor.emit(ctx, order, { tx }));
      throw new RangeError("no order today");
    });
    await assert.rejects(rolledBack, RangeError);
    assert.deepEqual(await rows("select 1 from river_reaction_event union all select 1 from river_job"), []);
    const late = settle as (() => Promise<unknown>) | null;
    await assert.rejects(late?.() ?? Promise.resolve(), { name: "LifecycleError", code: "lifecycle" });
  }
  assert.equal(attempts.length, 0);
});

test("without sync commands the message goes out with the commit, and settle has nothing left to do", async (t) => {
  const { home, address, rows } = await openSqliteHome(t);
  const { send } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  const database = new DatabaseSync(address);
  t.after(() => database.close());
  const result = await transaction(database, async (tx) => processor.emit(ctx, order, { tx }));
  assert.equal((await rows("select 1 from river_job")).length, 1);
  assert.equal((await result.settle()).event?.status, "dispatched");
  assert.equal((await rows("select 1 from river_job")).length, 1);
});

test("an event of whose settle nothing comes is swept", async (t) => {
  let at = Date.now();
  const { home, address, rows } = await openSqliteHome(t, { now: () => new Date(at) });
  const { grant, send } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const database = new DatabaseSync(address);
  t.after(() => database.close());
  await transaction(database, async (tx) => processor.emit(ctx, order, { tx }));
  at += 60_000;
  assert.equal((await processor.sweep(testCtx({ entry: "scheduled" }))).dispatched, 1);
  assert.equal((await rows("select 1 from river_job")).length, 1);
});

test("on SQLite the statements of an emit run in one turn of the event loop", async (t) => {
  const { home, address } = await openSqliteHome(t);
  const { grant, send } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
  const database = new DatabaseSync(address);
  t.after(() => database.close());
  // Another writer finds the lock free until the first statement, and the transaction is whole at the next turn.
  database.exec("begin");
  const emitted = processor.emit(ctx, order, { tx: database });
  const wrote = new AbortController();
  void emitted.then(() => wrote.abort());
  while (!wrote.signal.aborted) {
    const { n } = database.prepare("select count(*) as n from river_reaction_event").get() as { n: number };
    const commands = (database.prepare("select count(*) as n from river_reaction_command").get() as { n: number }).n;
    assert.equal(commands, n * 2);
    await new Promise((resolve) => setImmediate(resolve));
  }
  database.exec("commit");
  assert.equal((await (await emitted).settle()).status, "accepted");
});

postgresTest(
  "on Postgres a second sender waits for the first transaction, and repeatable read ends in an error",
  async (t) => {
    const lease = await leasePostgresDatabase(t);
    const pool = lease.pool({ max: 5 });
    await createMigrator({ pool }, { line: "reaction" }).migrateUp();
    const home = createEmbeddedHome({ driver: new PgDriver(pool) });
    const { grant, send } = orderCommands();
    const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });
    const [one, two] = [await lease.connect(), await lease.connect()];
    await one.query("begin");
    await two.query("begin isolation level repeatable read");
    await two.query("select 1 from river_reaction_event");
    const first = await processor.emit(ctx, order, { tx: one });
    const waiting = processor.emit(ctx, order);
    await one.query("commit");
    assert.equal((await waiting).status, "duplicate");
    await assert.rejects(processor.emit(ctx, order, { tx: two }), { code: "database", retryable: true });
    await two.query("rollback");
    assert.equal((await first.settle()).commands[0]?.status, "succeeded");
    assert.deepEqual(await lease.query("select count(*)::int as n from river_job"), [{ n: 1 }]);
  },
);

postgresTest("on Postgres an event whose key another transaction holds keeps no other waiting", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 5 });
  await createMigrator({ pool }, { line: "reaction" }).migrateUp();
  const home = createEmbeddedHome({ driver: new PgDriver(pool) });
  const { send } = orderCommands();
  const { processor } = createReaction({ policies: [orderPolicy(send)], ...home.parts });
  const client = await lease.connect();
  await client.query("begin");
  await processor.emit(ctx, order, { tx: client });
  const others = Array.from({ length: 5 }, (_, index) =>
    OrderPaid.create({ idempotencyKey: `order-paid:${index + 2}`, payload: { orderId: "2" } }),
  );
  const [same, ...free] = [order, ...others].map((event) => processor.emit(ctx, event));
  for (const { status } of await Promise.all(free)) assert.equal(status, "accepted");
  await client.query("commit");
  assert.equal((await same)?.status, "duplicate");
  assert.deepEqual(await lease.query("select count(*)::int as n from river_job"), [{ n: 6 }]);
});

postgresTest("C30 on Postgres a rollback leaves nothing, nothing has run, and settle says so", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 5 });
  await createMigrator({ pool }, { line: "reaction" }).migrateUp();
  const home = createEmbeddedHome({ driver: new PgDriver(pool) });
  const { grant, send, attempts } = orderCommands();
  const client = await lease.connect();
  for (const commands of [[grant, send], [grant], [send]]) {
    const { processor } = createReaction({ policies: [orderPolicy(...commands)], ...home.parts });
    await client.query("begin");
    const result = await processor.emit(ctx, order, { tx: client });
    assert.deepEqual(
      [result.status, ...result.commands.map(({ status }) => status)],
      ["accepted", ...commands.map(() => "pending")],
    );
    await client.query("rollback");
    await assert.rejects(result.settle(), { name: "LifecycleError", code: "lifecycle" });
    assert.deepEqual(
      await lease.query(
        "select 1 from river_job union all select 1 from river_reaction_event union all select 1 from river_reaction_command",
      ),
      [],
    );
  }
  assert.equal(attempts.length, 0);
});
