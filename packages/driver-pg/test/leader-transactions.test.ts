/** A leader's transactions on the connections of its session: what they hold up, and what is left when they break. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test, type LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { PgDriver } from "@riverqueue/driver-pg";
import type { PoolClient } from "pg";
import type { DriverSession, LeaderTerm, OwnScope } from "riverqueue/driver";
import { claim, driverFixture, endOf, fromNow, insertOne, lead, newJob } from "./fixture/driver-fixture.ts";

failOnLeaks();

const INSERTION = { jobs: [newJob()], notices: [], durability: "default" } as const;
const IDLE = `SELECT pid, pg_backend_pid() AS own FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'idle in transaction'`;

async function countJobs(lease: LeasedPostgresDatabase): Promise<number> {
  return Number((await lease.query("SELECT count(*) AS n FROM river_job"))[0]?.["n"]);
}

interface HeldTransaction {
  readonly ended: Promise<unknown>;
  readonly release: () => void;
}

/** A transaction that has inserted a job and waits. */
async function hold(
  session: Pick<DriverSession<never>, "jobs" | "leader">,
  term: LeaderTerm,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<HeldTransaction> {
  const inserted = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const body = async (scope: OwnScope): Promise<string> => {
    await session.jobs.insert(INSERTION, { scope });
    inserted.resolve();
    await released.promise;
    return "done";
  };
  const { signal, timeoutMs } = options;
  const ended = session.leader.transact({ term, body, durability: "default", signal }, { timeoutMs });
  // Whatever ends it before it waits is the test's failure, and no reason to wait for ever.
  await Promise.race([inserted.promise, ended]);
  ended.catch(() => {});
  return { ended, release: released.resolve };
}

test("C21 a leader's transaction that waits holds up nothing, with nothing left in the pool", async (t) => {
  const { driver, pool, lease } = await driverFixture(t, {}, { max: 5 });
  const session = await driver.openSession({ listens: true, leads: true });
  const other: PoolClient = await pool.connect();
  const waiting = pool.connect();
  const term = await lead(session);
  const { ended, release } = await hold(session, term);
  await insertOne(session);
  const [job] = await claim(session);
  assert.ok(job);
  assert.equal((await session.jobs.settle({ settlements: [endOf(job)], wantRows: false }))[0]?.outcome, "settled");
  assert.ok(await session.leader.renew({ term, ttlMs: 60_000 }));
  await session.queues.keepAlive({ name: "q" });
  assert.equal(await countJobs(lease), 1);
  release();
  assert.equal(await ended, "done");
  assert.equal(await countJobs(lease), 2);
  assert.equal(pool.waitingCount, 1);
  other.release();
  (await waiting).release();
  await session.close();
});

test("a leader's transaction holds no connection before its first statement", async (t) => {
  const { driver, lease } = await driverFixture(t, {}, { max: 5 });
  const session = await driver.openSession({ listens: true, leads: true });
  const term = await lead(session);
  const going = Promise.withResolvers<void>();
  const bodies = [1, 2, 3].map(() =>
    session.leader.transact({
      term,
      durability: "default",
      body: async (scope) => {
        await going.promise;
        await session.jobs.insert(INSERTION, { scope });
      },
    }),
  );
  const clean = { cancelledBefore: null, completedBefore: fromNow(0), discardedBefore: null, limit: 9 };
  assert.equal(await session.jobs.deleteFinalized({ term, ...clean }), 0);
  assert.deepEqual(await lease.query(IDLE), []);
  going.resolve();
  await Promise.all(bodies);
  assert.equal(await countJobs(lease), 3);
  await session.close();
});

test("a leader's transaction takes a connection of the pool while a statement of maintenance is long", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const session = await driver.openSession({ listens: false, leads: true });
  const term = await lead(session);
  const holder = await lease.connect();
  await holder.query("SELECT pg_advisory_lock(7)");
  const long = session.extension.run([{ text: "SELECT pg_advisory_xact_lock(7)", values: [] }], {
    lane: "background",
  });
  const body = async (scope: OwnScope): Promise<number> => (await session.jobs.insert(INSERTION, { scope })).length;
  assert.equal(await session.leader.transact({ term, body, durability: "default" }), 1);
  await holder.query("SELECT pg_advisory_unlock(7)");
  await long;
  assert.equal(await countJobs(lease), 1);
  await session.close();
});

for (const how of ["its limit", "its signal"]) {
  test(`a leader's transaction that waits is rolled back at ${how}, and its connection goes on`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    const session = await driver.openSession({ listens: false, leads: true });
    const term = await lead(session);
    const stop = new AbortController();
    const options = how === "its limit" ? { timeoutMs: 2_000 } : { signal: stop.signal };
    const { ended, release } = await hold(session, term, options);
    const backends = (await lease.query(IDLE)).map(({ pid }) => pid);
    assert.equal(backends.length, 1);
    stop.abort(new Error("the term is over"));
    await assert.rejects(ended, how === "its limit" ? { code: "database", retryable: true } : /the term is over/);
    await pollUntil(async () => (await lease.query(IDLE)).length === 0);
    const again = await hold(session, term);
    release();
    again.release();
    assert.equal(await again.ended, "done");
    // Whether the next one had it back in time or took one of the pool: the connection has survived.
    assert.equal((await lease.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", backends)).length, 1);
    assert.equal(await countJobs(lease), 1);
    await session.close();
  });
}

test("C26 a leader that was replaced in the middle of its transaction writes nothing", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const session = await driver.openSession({ listens: false, leads: true });
  const { ended, release } = await hold(session, await lead(session, "one"));
  await lease.query("UPDATE river_leader SET leader_id = 'two', elected_at = now(), expires_at = now() + '1 minute'");
  release();
  assert.equal(await ended, null);
  assert.equal(await countJobs(lease), 0);
  await session.close();
});

test("C26 a term that expired in the middle of its transaction is over, by the clock at the end of it", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const session = await driver.openSession({ listens: false, leads: true });
  const { ended, release } = await hold(session, await lead(session));
  await lease.query("UPDATE river_leader SET expires_at = clock_timestamp()");
  await lease.query("SELECT 1");
  release();
  assert.equal(await ended, null);
  assert.equal(await countJobs(lease), 0);
  await session.close();
});

for (const how of ["the server", "the network"]) {
  test(`C23 a leader's transaction that ${how} cuts off leaves nothing, and the next one runs`, async (t) => {
    const { lease } = await driverFixture(t);
    const proxy = await startPostgresProxy(t, lease.url);
    const pool = lease.pool({ connectionString: proxy.url });
    const driver = new PgDriver(pool);
    const session = await driver.openSession({ listens: false, leads: true });
    const term = await lead(session);
    const { ended, release } = await hold(session, term);
    const [backend] = await lease.query(IDLE);
    assert.ok(backend);
    if (how === "the network") proxy.cut();
    else await lease.query("SELECT pg_terminate_backend($1)", [backend["pid"]]);
    await pollUntil(async () => (await lease.query(IDLE)).length === 0);
    release();
    await assert.rejects(ended, { code: "database", retryable: true });
    assert.equal(await countJobs(lease), 0);
    const body = async (scope: OwnScope): Promise<number> => (await session.jobs.insert(INSERTION, { scope })).length;
    const next = await pollUntil(() =>
      session.leader.transact({ term, body, durability: "default" }).catch((error: unknown) => {
        assert.equal((error as { retryable?: unknown }).retryable, true);
        return null;
      }),
    );
    assert.equal(next, 1);
    assert.equal(await countJobs(lease), 1);
    await session.close();
  });
}
