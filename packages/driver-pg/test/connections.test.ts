/** The connections of a runtime: how many, what they are used for, and what happens when they are lost or stuck. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import {
  type LeasedPostgresDatabase,
  leasePostgresDatabase,
  postgresTest as test,
} from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { PgDriver } from "@riverqueue/driver-pg";
import { Pool, type PoolClient } from "pg";
import { dialectFor } from "../src/connection/dialect.ts";
import { LaneGroup } from "../src/connection/lane-lender.ts";
import { Lane } from "../src/connection/lane.ts";
import { PrepareMode } from "../src/connection/prepare-mode.ts";
import { claim, driverFixture, endOf, fromNow, insert, insertOne, lead, newJob } from "./fixture/driver-fixture.ts";

failOnLeaks();

/** Sessions of the database beside the one that asks. */
async function sessionsOf(lease: LeasedPostgresDatabase): Promise<number[]> {
  const text = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  return (await lease.query(text)).map(({ pid }) => Number(pid));
}

const CLAIM = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null } as const;

test("C21 a pool that is too small is refused with the numbers", async (t) => {
  const { driver } = await driverFixture(t, {}, { max: 4 });
  await assert.rejects(driver.openSession({ listens: true, leads: true }), {
    code: "configuration",
    message: /max is 4, .* keeps 4 connections .* leaves 0 for handlers .* set max to 5 or more/,
  });
  const session = await driver.openSession({ listens: false, leads: true });
  await session.close();
});

test("C21 sessions that share a pool are counted together, until they are closed", async (t) => {
  const { driver, pool } = await driverFixture(t, {}, { max: 8 });
  const open = () => new PgDriver(pool).openSession({ listens: true, leads: true });
  const first = await driver.openSession({ listens: true, leads: true });
  await assert.rejects(open(), {
    code: "configuration",
    message: /max is 8, .* keeps 4 connections .* beside the 4 .* leaves 0 for handlers .* set max to 9 or more/,
  });
  for (let closed = 0; closed < 2; closed++) await first.close();
  const second = await open();
  await assert.rejects(open(), { code: "configuration" });
  await second.close();
});

test("C21 a session works on its own connections while others hold all the rest", async (t) => {
  const { driver, pool } = await driverFixture(t, {}, { max: 5 });
  await insertOne(driver);
  const session = await driver.openSession({ listens: true, leads: true });
  const held: PoolClient[] = [await pool.connect()];
  const waiting = pool.connect();
  assert.deepEqual([pool.totalCount, pool.idleCount, pool.waitingCount], [5, 0, 1]);
  const stream = await session.notices.listen({ topics: ["river_insert"], onNotice: () => {}, onLost: assert.fail });
  const jobs = await claim(session);
  assert.equal(jobs.length, 1);
  const settlements = jobs.map((job) => endOf(job));
  await session.jobs.settle({ settlements, wantRows: false });
  const term = await lead(session);
  assert.ok(await session.leader.renew({ term, ttlMs: 60_000 }));
  await session.queues.keepAlive({ name: "q" });
  await session.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" });
  const clean = { cancelledBefore: null, completedBefore: fromNow(60_000), discardedBefore: null };
  assert.equal(await session.jobs.deleteFinalized({ term, ...clean, limit: 9 }), 1);
  assert.equal(pool.waitingCount, 1);
  await stream.close();
  await session.close();
  held.push(await waiting);
  for (const client of held) client.release();
});

test("a session needs River's tables", async (t) => {
  const { driver } = await driverFixture(t, { schema: "elsewhere" });
  await assert.rejects(driver.openSession({ listens: true, leads: true }), {
    code: "configuration",
    message: /lacks river_job, river_leader, river_queue: run riverqueue migrate-up/,
  });
});

test("a session gives all its connections back", async (t) => {
  const { driver, pool } = await driverFixture(t);
  const session = await driver.openSession({ listens: true, leads: true });
  assert.equal(pool.totalCount - pool.idleCount, 4);
  await session.close();
  await session.close();
  assert.equal(pool.totalCount - pool.idleCount, 0);
  await assert.rejects(session.jobs.claim(CLAIM), { code: "database" });
});

test("a statement that takes longer than its limit is cancelled on the server, and its connection goes on", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const session = await driver.openSession({ listens: false, leads: true });
  const before = await sessionsOf(lease);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [id]);
  const cancelling = session.jobs.cancel({ id, requestedAt: fromNow(0) }, { timeoutMs: 100 });
  await assert.rejects(cancelling, (error: Record<string, unknown>) => {
    assert.deepEqual([error["code"], error["retryable"]], ["database", true]);
    assert.equal((error["details"] as Record<string, unknown>)["reason"], "timeout");
    return true;
  });
  await pollUntil(async () => (await lease.query(WAITING)).length === 0);
  await holder.query("ROLLBACK");
  assert.equal((await session.jobs.cancel({ id, requestedAt: fromNow(0) })).outcome, "done");
  assert.deepEqual(new Set(await sessionsOf(lease)).intersection(new Set(before)), new Set(before));
  await session.close();
});

const WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

test("on the pool as well a statement is cancelled on the server when its time is over", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [id]);
  await assert.rejects(driver.jobs.retry({ id }, { timeoutMs: 100 }), { code: "database", retryable: true });
  await pollUntil(async () => (await lease.query(WAITING)).length === 0);
  await holder.query("ROLLBACK");
});

test("with prepare false nothing is cancelled: a process seen through a pooler may be somebody else's", async (t) => {
  const { driver, lease } = await driverFixture(t, { prepare: false });
  const { id } = await insertOne(driver);
  const session = await driver.openSession({ listens: false, leads: true });
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [id]);
  const cancelling = session.jobs.cancel({ id, requestedAt: fromNow(0) }, { timeoutMs: 100 });
  await assert.rejects(cancelling, { code: "database", retryable: true });
  assert.equal((await session.jobs.claim(CLAIM)).jobs.length, 0);
  assert.equal((await lease.query(WAITING)).length, 1);
  await holder.query("ROLLBACK");
  assert.deepEqual(await lease.query("SELECT 1 FROM pg_prepared_statements WHERE name LIKE 'river%'"), []);
  await session.close();
});

test("statement_timeout and lock_timeout of a role are failures that may be retried", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [id]);
  for (const [setting, sqlstate] of [
    ["statement_timeout", "57014"],
    ["lock_timeout", "55P03"],
  ] as const) {
    const limited = new PgDriver(lease.pool({ options: `-c ${setting}=100` }));
    await assert.rejects(limited.jobs.retry({ id }), (error: Record<string, unknown>) => {
      assert.deepEqual([error["code"], error["retryable"]], ["database", true]);
      assert.equal((error["details"] as Record<string, unknown>)["sqlstate"], sqlstate);
      return true;
    });
  }
  await holder.query("ROLLBACK");
});

test("C23 a session makes its connections anew when the server has ended them", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const jobs = await insert(driver, {}, {});
  const session = await driver.openSession({ listens: false, leads: true });
  await lease.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY ($1)", [
    await sessionsOf(lease),
  ]);
  const claimed = await pollUntil(async () => {
    try {
      return (await session.jobs.claim({ ...CLAIM, limit: 9 })).jobs;
    } catch (error) {
      assert.equal((error as { retryable?: unknown }).retryable, true);
      return null;
    }
  });
  assert.equal(claimed.length, jobs.length);
  await session.queues.keepAlive({ name: "q" }).catch(() => session.queues.keepAlive({ name: "q" }));
  await session.close();
});

test("C23 an idle connection that breaks ends no process, though the application listens to no error of its pool", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = new Pool({ connectionString: lease.url });
  t.after(() => pool.end());
  const drivers = [new PgDriver(pool), new PgDriver(pool)];
  assert.equal(pool.listenerCount("error"), 1);
  for (const driver of drivers) await insertOne(driver);
  assert.equal(pool.idleCount, 1);
  await lease.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await pollUntil(() => pool.totalCount === 0);
  for (const driver of drivers) await insertOne(driver);
});

test("C23 a read-only database is a failure that may be retried", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insertOne(driver);
  const readOnly = new PgDriver(lease.pool({ options: "-c default_transaction_read_only=on" }));
  await assert.rejects(readOnly.jobs.claim(CLAIM), { code: "database", retryable: true });
  await assert.rejects(readOnly.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" }), {
    code: "database",
    retryable: true,
  });
});

test("C21 a server without a free connection is a failure that may be retried", async (t) => {
  const { lease } = await driverFixture(t);
  const role = `limited_${lease.name}`;
  await lease.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1`);
  const address = new URL(lease.url);
  address.username = role;
  const holder = await lease.connect({ connectionString: address.href });
  const driver = new PgDriver(lease.pool({ connectionString: address.href }));
  await assert.rejects(driver.queues.get({ name: "q" }), (error: Record<string, unknown>) => {
    assert.deepEqual([error["code"], error["retryable"]], ["database", true]);
    assert.equal((error["details"] as Record<string, unknown>)["sqlstate"], "53300");
    return true;
  });
  await holder.end();
  await lease.query(`DROP ROLE ${role}`);
});

test("C23 a server out of reach is a failure that may be retried, without a word of the address", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const driver = new PgDriver(lease.pool({ connectionString: proxy.url }));
  await driver.queues.keepAlive({ name: "q" });
  proxy.accept(false);
  proxy.cut();
  const failing = async (): Promise<void> => {
    await assert.rejects(driver.queues.keepAlive({ name: "q" }), (error: Record<string, unknown>) => {
      assert.deepEqual([error["code"], error["retryable"]], ["database", true]);
      assert.doesNotMatch(String(error["message"]) + JSON.stringify(error), /127\.0\.0\.1|postgres:/);
      return true;
    });
  };
  await failing();
  await failing();
  proxy.accept(true);
  assert.equal((await driver.queues.keepAlive({ name: "q" })).name, "q");
});

test("half-open connections of a session are replaced after a statement that took too long", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const driver = new PgDriver(lease.pool({ connectionString: proxy.url }), { prepare: false });
  const session = await driver.openSession({ listens: false, leads: true });
  proxy.stall();
  await assert.rejects(session.queues.keepAlive({ name: "q" }, { timeoutMs: 50 }), { retryable: true });
  assert.equal((await session.queues.keepAlive({ name: "q" })).name, "q");
  await session.close();
});

test("a prepared statement that the server does not know any more is sent without a name from then on", async (t) => {
  const { lease, pool, driver } = await driverFixture(t, {}, { max: 1 });
  const warnings: Error[] = [];
  const note = (warning: Error): void => void (warning.name === "RiverWarning" && warnings.push(warning));
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  await insertOne(driver);
  await pool.query("DEALLOCATE ALL");
  await insertOne(driver);
  await pool.query("BEGIN");
  await pool.query("ROLLBACK");
  await insertOne(driver);
  assert.deepEqual(await pool.query("SELECT 1 FROM pg_prepared_statements").then(({ rows }) => rows), []);
  assert.deepEqual(await lease.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 3 }]);
  await pollUntil(() => warnings.length > 0);
  assert.equal(warnings.length, 1);
});

test("inside a transaction such a refusal fails with a retryable error; River's own are run again", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const client = await lease.connect();
  await client.query("BEGIN");
  const scope = { owner: "caller", tx: client } as const;
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  await driver.jobs.insert(params, { scope });
  await client.query("DEALLOCATE ALL");
  await assert.rejects(driver.jobs.insert(params, { scope }), { code: "database", retryable: true });
  await client.query("ROLLBACK");
  const { driver: other, pool } = await driverFixture(t, {}, { max: 1 });
  await insert(other, {}, {});
  const [a, b] = await claim(other);
  assert.ok(a && b);
  const mixed = [endOf(a), endOf(b, { metadata: '{"a":1}' })];
  await other.jobs.settle({ settlements: mixed, wantRows: false });
  await pool.query("DEALLOCATE ALL");
  const again = await other.jobs.settle({ settlements: mixed, wantRows: false });
  assert.deepEqual(
    again.map(({ outcome }) => outcome),
    ["merged", "merged"],
  );
});

test("a connection that takes too long until it can be used is given up, and the lane that asked makes another", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url, max: 1 });
  const dialect = dialectFor(null, { notifies: true, tellsByXmax: true }, false);
  const context = {
    prepare: new PrepareMode(true),
    dialect: () => dialect,
    prepareDriver: () => Promise.resolve(),
    readyMs: 200,
  };
  const group: LaneGroup = new LaneGroup([new Lane(pool, context, () => group)]);
  const late = { code: "database", retryable: true, message: /took longer than 200 ms/ };

  const held = await pool.connect();
  await assert.rejects(group.acquire("waiting"), late);
  held.release(true);
  await pollUntil(() => pool.idleCount === 1 && pool.waitingCount === 0);
  await pool.query("SELECT 1").then(() => proxy.cut());
  await pollUntil(() => pool.totalCount === 0);

  const answer = proxy.delayAnswers("pg_backend_pid");
  for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(group.acquire("silent"), late);
  await pollUntil(() => proxy.open === 0);
  answer();

  const loan = await group.acquire("well");
  assert.deepEqual((await loan.connection.runOnce("well", "SELECT 1", [])).rows, [["1"]]);
  loan.release();
  assert.equal(pool.totalCount, 1);
  group.close();
  await pollUntil(() => pool.totalCount === 0);
});
