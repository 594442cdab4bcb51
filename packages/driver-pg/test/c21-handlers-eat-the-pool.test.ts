/** Whole clients whose handlers take every connection that the pool has left, and keep it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { failOnLeaks, pollUntil, scaled } from "@riverqueue/internal-test-kit";
import { postgresTest as test, type LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { startPostgresServer } from "@riverqueue/internal-test-kit/postgres-server";
import { PgDriver } from "@riverqueue/driver-pg";
import { createMigrator } from "@riverqueue/migrate";
import { Client as PgClient, Pool, type PoolConfig } from "pg";
import {
  Client,
  type ClientOptions,
  defineJob,
  type EventSubscription,
  periodicJob,
  type RiverEvent,
  Workers,
} from "riverqueue";
import { driverFixture } from "./fixture/driver-fixture.ts";

failOnLeaks();

const HANDLERS = 20;
/** What is left of five connections when the client has its own. */
const LEFT = 1;

const hog = defineJob<{ readonly n: number }>()({ kind: "hog" });
const tick = defineJob<{ readonly n: number }>()({ kind: "tick" });
const plain = defineJob({ kind: "plain" });

/** Handlers that take a connection, begin a transaction and hold it until a test lets one go. */
class Hogs {
  readonly #pool: Pool;
  readonly #letGo: (() => void)[] = [];
  calls = 0;
  holding = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  readonly run = async (): Promise<void> => {
    this.calls += 1;
    const client = await this.#pool.connect();
    await client.query("BEGIN");
    const released = Promise.withResolvers<void>();
    this.#letGo.push(released.resolve);
    this.holding += 1;
    await released.promise;
    this.holding -= 1;
    await client.query("COMMIT");
    client.release();
  };

  letOneGo(): void {
    this.#letGo.shift()?.();
  }

  /** Every connection of the pool is taken, and each of `count` handlers has one or waits for it. */
  async haveAll(count: number): Promise<void> {
    await pollUntil(() => this.holding === LEFT && this.#pool.waitingCount >= count - LEFT);
  }

  /** Lets go as each gets its connection. */
  letAllGo(ended: () => boolean): Promise<true> {
    return pollUntil(() => {
      this.letOneGo();
      return ended();
    });
  }
}

/** What a client has told of so far. */
class Watched {
  readonly seen: RiverEvent[] = [];
  readonly #events: EventSubscription;

  constructor(client: Client) {
    this.#events = client.subscribe();
    void this.#note();
  }

  of(...kinds: readonly string[]): RiverEvent[] {
    return this.seen.filter(({ kind }) => kinds.includes(kind));
  }

  completed(kind: string): number {
    return this.seen.filter((event) => event.kind === "job_completed" && event.job.kind === kind).length;
  }

  /** Waits for further completions. */
  async complete(kind: string, more: number): Promise<void> {
    const enough = this.completed(kind) + more;
    await pollUntil(() => this.completed(kind) >= enough);
  }

  close(): void {
    this.#events.close();
  }

  async #note(): Promise<void> {
    for await (const event of this.#events) this.seen.push(event);
  }
}

/** What the client's sessions are called on the server. */
const NAME = "river_c21";
/** Its sessions that no handler has. */
const KEPT = "FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() AND query <> 'BEGIN'";

interface Scenario {
  readonly lease: LeasedPostgresDatabase;
  readonly client: Client;
  readonly hogs: Hogs;
  readonly events: Watched;
  readonly pool: Pool;
}

/** Three queues: handlers that hog, periodic jobs "each second" in pairs, and others. */
function optionsOf(hogs: Hogs, options: Partial<ClientOptions>): ClientOptions {
  const interval = { milliseconds: scaled(5_000) };
  const queue = { pollInterval: { milliseconds: scaled(1_000) }, fetchCooldown: { milliseconds: 1 } };
  return {
    queues: {
      default: { ...queue, maxWorkers: HANDLERS },
      ticks: { ...queue, maxWorkers: 10 },
      others: { ...queue, maxWorkers: 10 },
    },
    workers: new Workers()
      .add(hog, hogs.run)
      .add(tick, () => {})
      .add(plain, () => {}),
    periodicJobs: [1, 2].map((n) =>
      periodicJob({ job: tick, args: { n }, options: { queue: "ticks" }, every: { milliseconds: scaled(1_000) } }),
    ),
    maintenance: {
      electionInterval: interval,
      schedulerInterval: interval,
      rescuerInterval: { milliseconds: scaled(30_000) },
      rescueAfter: { milliseconds: scaled(3_600_000) },
    },
    queueHeartbeatInterval: { seconds: 1 },
    logger: false,
    ...options,
  };
}

async function scenario(
  t: TestContext,
  options: Partial<ClientOptions> = {},
  config: PoolConfig = {},
): Promise<Scenario> {
  const { lease, pool, driver } = await driverFixture(t, {}, { max: 5, ...config });
  const hogs = new Hogs(pool);
  const client = new Client(driver, optionsOf(hogs, options));
  return { lease, pool, hogs, client, events: new Watched(client) };
}

/** The client for what a test does itself, on connections of its own. */
function producer(lease: LeasedPostgresDatabase): Client {
  return new Client(new PgDriver(lease.pool()));
}

function insertHogs(lease: LeasedPostgresDatabase): Promise<unknown> {
  return producer(lease).insertMany(Array.from({ length: HANDLERS }, (_, n) => ({ job: hog, args: { n } })));
}

/** Resolves when the lease has been prolonged five times more, and a queue been kept alive once more. */
async function goOn(lease: LeasedPostgresDatabase): Promise<void> {
  const seen = { expiry: new Set<unknown>(), heartbeat: new Set<unknown>() };
  const text = `SELECT (SELECT expires_at::text FROM river_leader) AS expiry,
    (SELECT updated_at::text FROM river_queue WHERE name = 'default') AS heartbeat`;
  await pollUntil(async () => {
    const [row] = await lease.query(text);
    seen.expiry.add(row?.["expiry"]);
    seen.heartbeat.add(row?.["heartbeat"]);
    return seen.expiry.size > 5 && seen.heartbeat.size > 1;
  });
}

/** Milliseconds between the occurrences that are there, each of them for both jobs, and none twice. */
async function gapsOf(lease: LeasedPostgresDatabase): Promise<number[]> {
  const rows = await lease.query(
    `SELECT (extract(epoch FROM scheduled_at) * 1000)::float8 AS at, count(*)::int AS n FROM river_job
      WHERE kind = 'tick' GROUP BY scheduled_at ORDER BY scheduled_at`,
  );
  assert.ok(rows.length > 0);
  assert.deepEqual(
    rows.map(({ n }) => n),
    rows.map(() => 2),
  );
  const times = rows.map(({ at }) => Number(at));
  return times.slice(1).map((time, index) => Math.round(time - Number(times[index])));
}

/** Each occurrence of the first term is there. */
async function assertNoSilence(lease: LeasedPostgresDatabase): Promise<void> {
  const gaps = await gapsOf(lease);
  assert.deepEqual(
    gaps,
    gaps.map(() => scaled(1_000)),
  );
}

/** An insertion whose hook waits; transactions of the runtime itself come and go beside it. */
const OPEN_INSERTION = `FROM pg_stat_activity WHERE datname = current_database()
  AND state = 'idle in transaction' AND query ILIKE '%insert into%river_job%'`;

const HOOKS = { afterInsert: () => Promise.resolve() };

for (const hooked of [false, true]) {
  test(`C21 handlers hold every connection: leadership, heartbeats, completions and periodic jobs ${hooked ? "with hooks " : ""}go on`, async (t) => {
    const { lease, hogs, client, events } = await scenario(t, hooked ? { hooks: HOOKS } : {});
    const run = await client.start();
    await events.complete("tick", 2);
    await insertHogs(lease);
    await hogs.haveAll(HANDLERS);
    await goOn(lease);
    await events.complete("tick", 40);
    // A handler that ends is recorded although the next one has the connection already.
    hogs.letOneGo();
    await pollUntil(() => events.completed("hog") === 1);
    await hogs.haveAll(HANDLERS - 1);
    await goOn(lease);
    await events.complete("tick", 20);
    await hogs.letAllGo(() => events.completed("hog") === HANDLERS);
    assert.deepEqual(events.of("leader_lost"), []);
    await run.stop();
    events.close();
    assert.deepEqual(events.of("maintenance_failed", "job_failed", "job_race"), []);
    assert.equal(events.of("leader_acquired").length, 1);
    assert.equal(hogs.calls, HANDLERS);
    const rows = await lease.query("SELECT state, attempt, errors FROM river_job WHERE kind = 'hog'");
    const completed = { state: "completed", attempt: 1, errors: null };
    assert.deepEqual(
      rows,
      Array.from({ length: HANDLERS }, () => completed),
    );
    await assertNoSilence(lease);
  });
}

test("C21 connections that a client loses while handlers wait for the pool are made anew in their places", async (t) => {
  const { lease, pool, hogs, client, events } = await scenario(t, {}, { application_name: NAME });
  const run = await client.start();
  await events.complete("tick", 2);
  await insertHogs(lease);
  await hogs.haveAll(HANDLERS);
  for (const ended of [1, 2]) {
    const lost = await lease.query(`SELECT pg_terminate_backend(pid) ${KEPT}`, [NAME]);
    assert.equal(lost.length, 4);
    await goOn(lease);
    await events.complete("tick", 20);
    assert.deepEqual([hogs.holding, pool.totalCount], [LEFT, 5]);
    assert.equal((await lease.query(`SELECT pid ${KEPT}`, [NAME])).length, 4);
    // The connection of a handler that ends is the next one's, and its end is recorded beside that.
    hogs.letOneGo();
    await pollUntil(() => events.completed("hog") === ended);
    await hogs.haveAll(HANDLERS - ended);
  }
  await hogs.letAllGo(() => events.completed("hog") === HANDLERS);
  assert.deepEqual(events.of("leader_lost"), []);
  await run.stop();
  events.close();
  assert.deepEqual(events.of("job_failed", "job_race"), []);
  assert.equal(hogs.calls, HANDLERS);
  await pollUntil(() => pool.totalCount === pool.idleCount);
  // An occurrence whose insertion was cut off is left out.
  assert.ok((await gapsOf(lease)).every((gap) => gap < scaled(30_000)));
});

test("C21 the start says how many connections a client keeps, and how many are left for handlers", async (t) => {
  const started: Record<string, unknown>[] = [];
  const info = (attributes: object, message: string): void => {
    if (message === "client started") started.push({ ...attributes });
  };
  const logger = { debug() {}, info, warn() {}, error() {} };
  for (const [pollOnly, kept, left] of [
    [false, 4, 2],
    [true, 3, 3],
  ] as const) {
    const { client, events } = await scenario(t, { pollOnly, logger }, { max: 6 });
    const run = await client.start();
    await run.stop();
    events.close();
    const { connections, workers } = started.pop() ?? {};
    assert.deepEqual([connections, workers], [{ kept, left }, 40]);
  }
});

test("C21 a hook that waits in the middle of a periodic insertion stops nothing else, with the pool eaten", async (t) => {
  const entered = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  let passes = 0;
  const { lease, hogs, client, events } = await scenario(t, {
    hooks: {
      async afterInsert() {
        if (++passes !== 3) return;
        entered.resolve();
        await going.promise;
      },
    },
  });
  const run = await client.start();
  await insertHogs(lease);
  await hogs.haveAll(HANDLERS);
  await entered.promise;
  assert.equal((await lease.query(`SELECT pid ${OPEN_INSERTION}`)).length, 1);
  const own = producer(lease);
  await own.insertMany(Array.from({ length: 30 }, () => ({ job: plain, args: {}, options: { queue: "others" } })));
  await events.complete("plain", 30);
  await goOn(lease);
  assert.deepEqual(events.of("leader_lost"), []);
  going.resolve();
  await events.complete("tick", 20);
  await hogs.letAllGo(() => events.completed("hog") === HANDLERS);
  await run.stop();
  events.close();
  assert.deepEqual(events.of("maintenance_failed", "job_failed"), []);
  await assertNoSilence(lease);
});

test("C21 C23 a periodic insertion that is cut off leaves no half of it, and periodic jobs go on", async (t) => {
  const entered: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const going: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  let passes = 0;
  const { lease, client, events } = await scenario(t, {
    hooks: {
      async afterInsert() {
        const cut = ++passes % 4 === 0 ? passes / 4 - 1 : -1;
        entered[cut]?.resolve();
        await going[cut]?.promise;
      },
    },
  });
  const run = await client.start();
  for (const cut of [0, 1]) {
    await entered[cut]?.promise;
    const killed = await lease.query(`SELECT pg_terminate_backend(pid) ${OPEN_INSERTION}`);
    assert.equal(killed.length, 1);
    going[cut]?.resolve();
    await pollUntil(() => events.of("maintenance_failed").length > cut);
    await events.complete("tick", 4);
  }
  await run.stop();
  events.close();
  const failed = events.of("maintenance_failed") as { service?: string; error?: { retryable?: boolean } }[];
  assert.deepEqual(
    failed.map(({ service, error }) => [service, error?.retryable]),
    [
      ["periodic", true],
      ["periodic", true],
    ],
  );
  const odd = await lease.query(
    "SELECT scheduled_at FROM river_job WHERE kind = 'tick' GROUP BY scheduled_at HAVING count(*) <> 2",
  );
  assert.deepEqual(odd, []);
});

test("C21 a pool of one connection is refused at the start, with the numbers", async (t) => {
  for (const [pollOnly, kept, least] of [
    [false, 4, 5],
    [true, 3, 4],
  ] as const) {
    const { client, events, pool } = await scenario(t, { pollOnly }, { max: 1 });
    await assert.rejects(client.start(), {
      code: "configuration",
      message: new RegExp(
        `max is 1, .* keeps ${kept} connections .* leaves 0 for handlers .* set max to ${least} or more`,
      ),
    });
    assert.equal(pool.totalCount, 0);
    events.close();
  }
});

test("C21 at max_connections a start is refused for now, and a running client tries again until there is room", async (t) => {
  const server = await startPostgresServer({ max_connections: "12", superuser_reserved_connections: "0" });
  t.after(() => server.stop());
  const fillers: PgClient[] = [];
  const connect = async (): Promise<PgClient> => {
    const client = new PgClient({ connectionString: server.url });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const fill = async (): Promise<void> => {
    for (;;) {
      try {
        fillers.push(await connect());
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, "53300");
        return;
      }
    }
  };
  const empty = async (): Promise<void> => {
    await Promise.all(fillers.splice(0).map((filler) => filler.end()));
  };
  const admin = await connect();
  await createMigrator({ client: admin }).migrateUp();
  const proxy = await startPostgresProxy(t, server.url);
  const pool = new Pool({ connectionString: proxy.url, max: 5 });
  pool.on("error", () => {});
  t.after(async () => {
    await Promise.all([pool.end(), admin.end(), empty()]);
  });
  const client = new Client(new PgDriver(pool), optionsOf(new Hogs(pool), {}));
  const events = new Watched(client);
  await fill();
  await assert.rejects(client.start(), (error: Record<string, unknown>) => {
    assert.deepEqual([error["code"], error["retryable"]], ["database", true]);
    assert.equal((error["details"] as Record<string, unknown>)["sqlstate"], "53300");
    return true;
  });
  await empty();
  const run = await pollUntil(() => client.start().catch(() => null));
  await events.complete("tick", 2);
  await fill();
  proxy.accept(false);
  proxy.cut();
  // The places of the client's connections are taken before it can have them back.
  await pollUntil(async () => {
    await fill();
    const { rows } = await admin.query("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend'");
    return rows.length === fillers.length + 1;
  });
  await fill();
  proxy.accept(true);
  await pollUntil(() =>
    events.of("maintenance_failed").some((event) => "error" in event && sqlstateOf(event.error) === "53300"),
  );
  await empty();
  await events.complete("tick", 6);
  await run.stop();
  events.close();
  assert.equal(run.state, "stopped");
});

function sqlstateOf(error: unknown): unknown {
  return (error as { details?: { sqlstate?: unknown } }).details?.sqlstate;
}
