/** The driver and a whole client through PgBouncer in transaction mode, where sessions of the server are handed around. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { ConformanceTest } from "@riverqueue/internal-driver-conformance/conformance-test";
import { insertTests } from "@riverqueue/internal-driver-conformance/jobs/insert";
import { uniqueTests } from "@riverqueue/internal-driver-conformance/jobs/unique";
import { scopeTests } from "@riverqueue/internal-driver-conformance/scopes";
import { Subject } from "@riverqueue/internal-driver-conformance/subject";
import { failOnLeaks, pollUntil, waitForItem } from "@riverqueue/internal-test-kit";
import { pgBouncerTest as test, type PoolMode, startPgBouncer } from "@riverqueue/internal-test-kit/pgbouncer";
import { leasePostgresDatabase, type LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { PgDriver, type PgDriverOptions, type PgTransaction } from "@riverqueue/driver-pg";
import { createMigrator } from "@riverqueue/migrate";
import type { Pool } from "pg";
import { Client, defineJob, Workers } from "riverqueue";
import type { NoticesFacet, RuntimeDriver } from "riverqueue/driver";
import { newJob } from "./fixture/driver-fixture.ts";
import { driverUnderTest } from "./fixture/driver-under-test.ts";

failOnLeaks();

interface Pooled {
  readonly lease: LeasedPostgresDatabase;
  /** Of the database through the pooler. */
  readonly url: string;
  /** Leads through the pooler. */
  readonly pool: Pool;
  readonly driver: PgDriver;
}

/** A driver that reaches its database through a pooler, which has `poolSize` sessions of the server for it. */
async function pooledDriver(t: TestContext, options: PgDriverOptions, poolSize = 2, mode?: PoolMode): Promise<Pooled> {
  const lease = await leasePostgresDatabase(t);
  const { url } = await startPgBouncer(t, lease.url, { poolSize, mode });
  const pool = lease.pool({ connectionString: url });
  return { lease, url, pool, driver: new PgDriver(pool, options) };
}

/** Warnings of River from now on, by their codes. */
function noteWarnings(t: TestContext): string[] {
  const codes: string[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.name === "RiverWarning") codes.push(String(warning.code));
  };
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  return codes;
}

/** Warnings are emitted on the next tick. */
async function warningsOf(codes: readonly string[]): Promise<readonly string[]> {
  await new Promise(setImmediate);
  return codes;
}

async function kindsIn(lease: LeasedPostgresDatabase): Promise<unknown[]> {
  return (await lease.query("SELECT kind FROM river_job ORDER BY kind, id")).map(({ kind }) => kind);
}

/** Registers a test of the conformance suite with driver and application behind the pooler. */
const pooledTest: ConformanceTest = (title, body) =>
  test(`conformance: ${title}`, async (t) => {
    const { driver, lease, pool, url } = await pooledDriver(t, { prepare: false });
    const reached = {
      driver: heardDirectly(driver, new PgDriver(lease.pool())),
      lease,
      pool,
      connect: () => lease.connect({ connectionString: url }),
    };
    const subject = await Subject.open(driverUnderTest(t, reached), "driver");
    try {
      await body(subject);
    } finally {
      await subject.close();
    }
  });

/** `pooled`, whose notices are listened to past the pooler: what it sends comes out of the database, and not through it. */
function heardDirectly(pooled: PgDriver, direct: PgDriver): RuntimeDriver<PgTransaction> {
  const notices: NoticesFacet<PgTransaction> = {
    send: (...args) => pooled.notices.send(...args),
    deleteExpired: (...args) => pooled.notices.deleteExpired(...args),
    listen: (listener) => direct.notices.listen(listener),
  };
  return new Proxy(pooled, {
    get(target, key) {
      if (key === "notices") return notices;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

for (const register of [insertTests, uniqueTests, scopeTests]) register(pooledTest);

const plain = defineJob({ kind: "plain" });
const single = defineJob({ kind: "single", defaults: { unique: { byQueue: true } } });

test("jobs are inserted alone, by the thousand, and once when they are unique", async (t) => {
  const codes = noteWarnings(t);
  const { lease, driver } = await pooledDriver(t, { prepare: false });
  const client = new Client(driver);
  const { job } = await client.insert(plain, { text: "naïve ☃", big: 9_007_199_254_740_991 });
  assert.equal((await client.jobs.get(job.id))?.kind, "plain");
  const many = await client.insertMany(Array.from({ length: 2_000 }, (_, n) => ({ job: plain, args: { n } })));
  assert.equal(new Set(many.map(({ job: { id } }) => id)).size, 2_000);
  const results = await Promise.all(Array.from({ length: 8 }, () => client.insert(single, {})));
  assert.equal(new Set(results.map(({ job: { id } }) => id)).size, 1);
  assert.equal(results.filter(({ status }) => status === "duplicate").length, 7);
  assert.deepEqual(await lease.query("SELECT kind, count(*)::int AS jobs FROM river_job GROUP BY 1 ORDER BY 1"), [
    { kind: "plain", jobs: 2_001 },
    { kind: "single", jobs: 1 },
  ]);
  assert.deepEqual(await warningsOf(codes), []);
});

test("jobs belong to the transaction that they are inserted in", async (t) => {
  const { lease, pool, driver } = await pooledDriver(t, { prepare: false });
  const client = new Client(driver);
  const tx = await pool.connect();
  for (const end of ["ROLLBACK", "COMMIT"]) {
    await tx.query("BEGIN");
    await client.insert(plain, {}, { tx });
    await client.insertMany(
      [
        { job: single, args: {} },
        { job: plain, args: {} },
      ],
      { tx },
    );
    // Other transactions are served in between, by the other session.
    assert.deepEqual(await kindsIn(lease), []);
    assert.equal((await driver.queues.keepAlive({ name: "q" })).name, "q");
    await tx.query(end);
    assert.deepEqual(await kindsIn(lease), end === "COMMIT" ? ["plain", "plain", "single"] : []);
  }
  tx.release();
});

test("migrations run through the pooler", async (t) => {
  const { lease, pool } = await pooledDriver(t, {});
  const migrator = createMigrator({ pool });
  await migrator.migrateDown({ targetVersion: -1 });
  assert.deepEqual(await lease.query("SELECT to_regclass('river_job')::text AS found"), [{ found: null }]);
  await migrator.migrateUp();
  assert.equal((await migrator.validate()).ok, true);
});

test("without prepare false the driver goes over to statements without names at the first refusal", async (t) => {
  const codes = noteWarnings(t);
  // One session for two connections: what the first has prepared is in the way of the second.
  const { lease, pool, driver } = await pooledDriver(t, {}, 1);
  const client = new Client(driver);
  await client.insert(plain, {});
  const held = await pool.connect();
  await client.insert(plain, {});
  assert.deepEqual(await warningsOf(codes), ["RIVER_PG_UNNAMED_STATEMENTS"]);
  held.release();
  await Promise.all(Array.from({ length: 20 }, () => client.insert(plain, {})));
  assert.equal((await kindsIn(lease)).length, 22);
  assert.deepEqual(await warningsOf(codes), ["RIVER_PG_UNNAMED_STATEMENTS"]);
});

test("such a refusal inside the caller's transaction may be tried again", async (t) => {
  const { lease, pool, driver } = await pooledDriver(t, {}, 1);
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  const inTransaction = async (): Promise<void> => {
    const tx = await pool.connect();
    try {
      await tx.query("BEGIN");
      await driver.jobs.insert(params, { scope: { owner: "caller", tx } });
      await tx.query("COMMIT");
    } catch (error) {
      await tx.query("ROLLBACK");
      throw error;
    } finally {
      tx.release();
    }
  };
  await inTransaction();
  const held = await pool.connect();
  await assert.rejects(inTransaction(), { code: "database", retryable: true });
  await inTransaction();
  held.release();
  assert.equal((await kindsIn(lease)).length, 2);
});

const task = defineJob<{ readonly does: "cancel" | "complete" | "end" | "fail once" }>()({ kind: "task" });

/** A client that does what its jobs are told to do. */
function workingClient(
  { driver, pool }: Pooled,
  options: { pollOnly?: boolean; pollInterval: Temporal.DurationLike },
): Client {
  const workers = new Workers().add(task, async ({ job: { args, attempt }, signal, completeTx }) => {
    if (args.does === "fail once" && attempt === 1) throw new Error("boom");
    if (args.does === "cancel") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    }
    if (args.does !== "complete") return;
    const tx = await pool.connect();
    await tx.query("BEGIN");
    await completeTx(tx);
    await tx.query("COMMIT");
    tx.release();
  });
  const { pollOnly = false, pollInterval } = options;
  return new Client(driver, {
    logger: false,
    pollOnly,
    queues: { default: { maxWorkers: 4, pollInterval } },
    workers,
    retryPolicy: (_job, now) => now,
  });
}

async function waitForStates(lease: LeasedPostgresDatabase, wanted: Readonly<Record<string, number>>): Promise<void> {
  await pollUntil(async () => {
    const rows = await lease.query("SELECT state::text, count(*)::int AS jobs FROM river_job GROUP BY 1");
    return isDeepStrictEqual(Object.fromEntries(rows.map(({ state, jobs }) => [state, jobs])), wanted);
  });
}

test("a whole client works through the pooler with pollOnly: retries, completeTx, leadership, cancellation", async (t) => {
  const codes = noteWarnings(t);
  const pooled = await pooledDriver(t, { prepare: false });
  const { lease } = pooled;
  const client = workingClient(pooled, { pollOnly: true, pollInterval: { milliseconds: 100 } });
  const events = client.subscribe({ kinds: ["job_started"], capacity: 1_000 });
  const run = await client.start();
  const other = new Client(new PgDriver(lease.pool()));
  await other.insertMany(
    (["end", "fail once", "complete"] as const).flatMap((does) =>
      Array.from({ length: 20 }, () => ({ job: task, args: { does } })),
    ),
  );
  const { job } = await other.insert(task, { does: "cancel" });
  await waitForItem(events, (event) => event.kind === "job_started" && event.job.id === job.id);
  await other.jobs.cancel(job.id);
  await waitForStates(lease, { cancelled: 1, completed: 60 });
  await pollUntil(async () => (await client.inspect.leader()) !== null);
  await run.stop();
  assert.equal(await client.inspect.leader(), null);
  assert.deepEqual(await lease.query("SELECT count(*)::int AS jobs FROM river_job WHERE attempt = 2"), [{ jobs: 20 }]);
  assert.deepEqual(await warningsOf(codes), []);
});

test("without pollOnly a client finds out that no notification comes through, says so and polls", async (t) => {
  const codes = noteWarnings(t);
  const pooled = await pooledDriver(t, { prepare: false });
  assert.equal(pooled.driver.traits.listens, true);
  const client = workingClient(pooled, { pollInterval: { milliseconds: 100 } });
  const run = await client.start();
  assert.equal(pooled.driver.traits.listens, false);
  assert.deepEqual(await warningsOf(codes), ["RIVER_PG_NO_NOTIFICATIONS"]);
  await new Client(new PgDriver(pooled.lease.pool())).insert(task, { does: "end" });
  await waitForStates(pooled.lease, { completed: 1 });
  await run.stop();
});

test("behind a pooler in session mode a client listens", async (t) => {
  const codes = noteWarnings(t);
  const pooled = await pooledDriver(t, {}, 12, "session");
  // It would not look by itself before the test has failed.
  const client = workingClient(pooled, { pollInterval: { hours: 1 } });
  const run = await client.start();
  await new Client(new PgDriver(pooled.lease.pool())).insert(task, { does: "end" });
  await waitForStates(pooled.lease, { completed: 1 });
  await run.stop();
  assert.equal(pooled.driver.traits.listens, true);
  assert.deepEqual(await warningsOf(codes), []);
});
