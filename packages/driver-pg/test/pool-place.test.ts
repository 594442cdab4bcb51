/** Places in the application's pool: what is made in the place of a lost connection, and when the pool has it back. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import {
  type LeasedPostgresDatabase,
  leasePostgresDatabase,
  postgresTest as test,
} from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { Client, type ClientBase, type ClientConfig, type Pool } from "pg";
import { placeIn } from "../src/connection/pool-place.ts";
import type { LentClient } from "../src/connection/client-source.ts";

failOnLeaks();

const READY_MS = 5_000;

/** What a session of the server says of itself. */
async function setting({ client }: LentClient, name: string): Promise<unknown> {
  const { rows } = await client.query("SELECT current_setting($1) AS value", [name]);
  return (rows[0] as Record<string, unknown>)["value"];
}

/** How many sessions the server has of this name. */
async function sessions(lease: LeasedPostgresDatabase, name: string): Promise<unknown> {
  const text =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()";
  return (await lease.query(text, [name]))[0]?.["n"];
}

/** An option of pools that prepares connections, and is waited for. */
const LIMITED = { onConnect: (client: ClientBase): Promise<unknown> => client.query("SET statement_timeout = 41000") };

const succeed = (): Promise<void> => Promise.resolve();

test("a place stays taken while its connections are lost, and goes to who waits when it is closed", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 1, application_name: "river_place" });
  const place = placeIn(pool, READY_MS);
  const first = await place.connect();
  const waiting = pool.connect();
  first.release(true);
  for (let times = 0; times < 3; times++) {
    await pollUntil(async () => (await sessions(lease, "river_place")) === 0);
    const other = await place.connect();
    assert.equal(await setting(other, "application_name"), "river_place");
    assert.deepEqual([pool.totalCount, pool.waitingCount, await sessions(lease, "river_place")], [1, 1, 1]);
    other.release(true);
  }
  const last = await place.connect();
  place.close();
  assert.equal(pool.waitingCount, 1);
  last.release(false);
  (await waiting).release();
  assert.deepEqual([pool.totalCount, pool.idleCount], [1, 1]);
});

test("a connection that is not lost goes back to the pool as it is", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 1 });
  const place = placeIn(pool, READY_MS);
  const { client, release } = await place.connect();
  place.close();
  release(false);
  const again = await pool.connect();
  assert.equal(again, client);
  again.release();
});

test("what is made in a place is prepared as the pool prepares its own", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const passwords: unknown[] = [];
  class Watched extends Client {
    constructor(config: ClientConfig) {
      super(config);
      passwords.push(config.password);
    }
  }
  const making = { ...LIMITED, Client: Watched };
  const pool = lease.pool({ ...(making as object), max: 1, password: "secret" });
  pool.on("connect", (client) => void client.query("SET lock_timeout = 42000"));
  const place = placeIn(pool, READY_MS);
  for (const times of [1, 2]) {
    const connection = await place.connect();
    const settings = [await setting(connection, "statement_timeout"), await setting(connection, "lock_timeout")];
    assert.deepEqual(settings, ["41s", "42s"], `connection ${times}`);
    connection.release(true);
  }
  place.close();
  assert.deepEqual(passwords, ["secret", "secret"]);
});

test("one that cannot be made is closed, and the place is kept for the next", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  let prepare = succeed;
  const preparing = { onConnect: (): Promise<void> => prepare() };
  const pool = lease.pool({ ...preparing, max: 1, connectionString: proxy.url });
  const place = placeIn(pool, 200);
  (await place.connect()).release(true);
  prepare = () => Promise.reject(new Error("not prepared"));
  await assert.rejects(place.connect(), /not prepared/);
  prepare = () => new Promise(() => {});
  await assert.rejects(place.connect(), /took longer than 200 ms/);
  prepare = succeed;
  const answer = proxy.delayAnswers("database");
  await assert.rejects(place.connect(), /timeout expired/);
  answer();
  proxy.accept(false);
  await assert.rejects(place.connect());
  proxy.accept(true);
  await pollUntil(() => proxy.open === 0);
  (await place.connect()).release(true);
  assert.equal(pool.totalCount, 1);
  place.close();
  await withDeadline(pool.end(), "the end of the pool");
});

test("a pool that does not say how it makes connections is asked for each", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 1 });
  const foreign = { connect: () => pool.connect(), totalCount: 0 } as unknown as Pool;
  const place = placeIn(foreign, READY_MS);
  const clients = new Set<Client>();
  for (let times = 0; times < 2; times++) {
    const { client, release } = await place.connect();
    clients.add(client as Client);
    release(true);
    await pollUntil(() => pool.totalCount === 0);
  }
  assert.equal(clients.size, 2);
  place.close();
});
