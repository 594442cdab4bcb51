/** A network that swallows every connection of a runtime at once, without a word to either end. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import {
  type LeasedPostgresDatabase,
  leasePostgresDatabase,
  postgresTest as test,
} from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { PgDriver, type PgTransaction } from "@riverqueue/driver-pg";
import { Client, defineJob, Workers } from "riverqueue";
import type { DriverSession } from "riverqueue/driver";
import { shortenTimers } from "./fixture/shorten-timers.ts";

failOnLeaks();

const CLAIM = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null } as const;
/** Tests wait for no limit of this length themselves. */
const NOT_SHORTENED = { deadlineMs: 25_000 };

/** Tries until it succeeds. */
function succeeds(work: () => Promise<unknown>): Promise<true> {
  const attempt = async (): Promise<true | null> => {
    try {
      await work();
      return true;
    } catch {
      return null;
    }
  };
  return pollUntil(attempt);
}

/** Two claims wait for the lock at the same time, and so on two connections. */
async function assertTwoClaimAtOnce(
  lease: LeasedPostgresDatabase,
  session: DriverSession<PgTransaction>,
): Promise<void> {
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE river_job");
  const claims = [1, 2].map(() => session.jobs.claim(CLAIM));
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await pollUntil(async () => (await lease.query(waiting)).length === 2);
  await holder.query("ROLLBACK");
  await Promise.all(claims);
}

test("C22 lanes are replaced that have gone half-open all at once, so that none can cancel for another", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url });
  const session = await new PgDriver(pool).openSession({ listens: false, leads: true });
  shortenTimers(t, { 5_000: 100 });
  for (let partition = 0; partition < 2; partition++) {
    proxy.stall();
    await assert.rejects(session.queues.keepAlive({ name: "q" }, { timeoutMs: 50 }), { retryable: true });
    await succeeds(() => session.queues.keepAlive({ name: "q" }, { timeoutMs: 500 }));
    await succeeds(() => Promise.all([1, 2].map(() => session.jobs.claim(CLAIM, { timeoutMs: 500 }))));
    await assertTwoClaimAtOnce(lease, session);
  }
  await session.close();
  await withDeadline(pool.end(), "the end of the pool", NOT_SHORTENED);
});

test("C22 a connection of the pool that was to cancel a statement, and is half-open as well, is closed", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url });
  const driver = new PgDriver(pool);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE river_queue");
  const both = [1, 2].map(() => driver.queues.get({ name: "q" }));
  await pollUntil(() => pool.totalCount === 2);
  await holder.query("ROLLBACK");
  await Promise.all(both);
  shortenTimers(t, { 5_000: 100 });
  proxy.stall();
  await assert.rejects(driver.queues.get({ name: "q" }, { timeoutMs: 50 }), { code: "database", retryable: true });
  await pollUntil(() => pool.totalCount === 0);
  assert.equal(await driver.queues.get({ name: "q" }), null);
});

test("C22 a session that is closed while a statement hangs lets go of its connection in 5 seconds", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url });
  const session = await new PgDriver(pool).openSession({ listens: false, leads: true });
  proxy.stall();
  const hanging = assert.rejects(session.jobs.claim(CLAIM), { code: "database", retryable: true });
  shortenTimers(t, { 5_000: 50 });
  await session.close();
  await withDeadline(hanging, "the end of the claim", NOT_SHORTENED);
  await withDeadline(pool.end(), "the end of the pool", NOT_SHORTENED);
});

test("C22 a client works on after the network has twice swallowed all its connections, and gives them back", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url, max: 5 });
  const job = defineJob<{ readonly n: number }>()({ kind: "plain" });
  const worked: number[] = [];
  const client = new Client(new PgDriver(pool), {
    queues: { default: { maxWorkers: 10, pollInterval: { milliseconds: 100 } } },
    workers: new Workers().add(job, ({ job: { args } }) => void worked.push(args.n)),
    logger: false,
  });
  const producer = new Client(new PgDriver(lease.pool()));
  // Its statements are limited to 3 to 30 seconds, and then cancelled.
  shortenTimers(t, { 3_000: 300, 5_000: 100, 10_000: 500, 15_000: 500, 30_000: 1_500 });
  const run = await client.start();
  for (const n of [1, 2]) {
    proxy.stall();
    await producer.insert(job, { n });
    await pollUntil(() => worked.includes(n));
    await pollUntil(async () => {
      const [row] = await lease.query("SELECT count(*)::int AS n FROM river_job WHERE state = 'completed'");
      return row?.["n"] === n;
    });
  }
  assert.deepEqual(worked, [1, 2]);
  assert.ok(pool.totalCount <= 5);
  await withDeadline(run.stop(), "the stop", NOT_SHORTENED);
  // What hangs still is being cancelled.
  await pollUntil(() => pool.totalCount === pool.idleCount);
  await withDeadline(pool.end(), "the end of the pool", NOT_SHORTENED);
});
