/** Notices: channels, delivery at the commit, and connections that go silent. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { type PostgresProxy, startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { PgDriver } from "@riverqueue/driver-pg";
import type { PoolClient } from "pg";
import { insertNotice, type Notice, type NoticeListener } from "riverqueue/driver";
import { PgConnection } from "../src/connection/pg-connection.ts";
import { dialectFor } from "../src/connection/dialect.ts";
import { PrepareMode } from "../src/connection/prepare-mode.ts";
import { PgNoticeStream } from "../src/notices/pg-notice-stream.ts";
import { driverFixture } from "./fixture/driver-fixture.ts";
import { heardBy } from "./fixture/heard-by.ts";

failOnLeaks();

interface Heard extends NoticeListener {
  readonly notices: Notice[];
  readonly lost: Promise<unknown>;
}

function listener(): Heard {
  const notices: Notice[] = [];
  const lost = Promise.withResolvers<unknown>();
  return {
    topics: ["river_insert", "river_control"],
    notices,
    lost: lost.promise,
    onNotice: (notice) => notices.push(notice),
    onLost: lost.resolve,
  };
}

test("N3 a stream hears its topics of its schema, at the commit and from then on only", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const send = (...notices: Notice[]): Promise<void> => driver.notices.send({ notices });
  await send(insertNotice("before"));
  const heard = listener();
  const stream = await driver.notices.listen(heard);
  const rolledBack = driver.transaction(
    async (scope) => {
      await driver.notices.send({ notices: [insertNotice("rolled back")] }, { scope });
      throw new Error("no");
    },
    { durability: "default" },
  );
  await assert.rejects(rolledBack);
  await lease.query("SELECT pg_notify('other.river_insert', 'x'), pg_notify('river_insert', 'x')");
  await send({ topic: "river_leadership", payload: "{}" });
  await send(insertNotice("a"), insertNotice("a"), { topic: "river_control", payload: '{"action":"pause"}' });
  await pollUntil(() => heard.notices.length >= 2);
  assert.deepEqual(heard.notices, [insertNotice("a"), { topic: "river_control", payload: '{"action":"pause"}' }]);
  await stream.close();
  await stream.close();
  await send(insertNotice("after"));
  const marker = await heardBy(lease);
  await marker(0);
  assert.equal(heard.notices.length, 2);
});

test("a schema of any name has channels of its own", async (t) => {
  const schema = `a"b'c\\d é`;
  const { driver, lease } = await driverFixture(t, { schema });
  const other = listener();
  const plain = new PgDriver(lease.pool());
  const plainStream = await plain.notices.listen(other);
  const heard = listener();
  const stream = await driver.notices.listen(heard);
  const raw = await heardBy(lease, schema);
  await driver.notices.send({ notices: [insertNotice("q")] });
  assert.deepEqual(await raw(1), [[`${schema}.river_insert`, '{"queue": "q"}']]);
  await pollUntil(() => heard.notices.length > 0);
  assert.deepEqual(other.notices, []);
  await stream.close();
  await plainStream.close();
});

test("without a current schema there is nothing to listen to", async (t) => {
  const { lease } = await driverFixture(t);
  const driver = new PgDriver(lease.pool({ options: "-c search_path=none" }));
  await assert.rejects(driver.notices.listen(listener()), { code: "database", message: /set the option schema/ });
});

test("a stream whose connection is ended reports it once", async (t) => {
  const { driver, lease, pool } = await driverFixture(t);
  const heard = listener();
  await driver.notices.listen(heard);
  await lease.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`,
  );
  const error = await withDeadline(heard.lost, "the loss of the stream");
  assert.deepEqual([(error as Record<string, unknown>)["code"], pool.totalCount], ["database", 0]);
});

const LISTENING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";

function openStream(client: PoolClient, heard: NoticeListener): Promise<PgNoticeStream> {
  const dialect = dialectFor(null, { notifies: true, tellsByXmax: true }, false);
  const connection = new PgConnection(client, () => dialect, new PrepareMode(true), false);
  // What a closed socket still reports is of no interest.
  const close = (): void => client.on("error", () => {}).release(true);
  return PgNoticeStream.open(connection, heard, close, { idleMs: 20, answerMs: 500 });
}

test("C22 a quiet connection is pinged, and one whose other end is gone without a word is given up", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const pool = lease.pool({ connectionString: proxy.url });
  const heard = listener();
  await openStream(await pool.connect(), heard);
  const pinged = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT 1' AND datname = current_database()";
  await pollUntil(async () => (await lease.query(pinged)).length > 0);
  await lease.query(`SELECT pg_notify('public.river_insert', 'still here')`);
  await pollUntil(() => heard.notices.length > 0);
  proxy.stall();
  await withDeadline(heard.lost, "the loss of the stream");
  const again = listener();
  const stream = await openStream(await pool.connect(), again);
  await lease.query(`SELECT pg_notify('public.river_insert', 'again')`);
  await pollUntil(() => again.notices.length > 0);
  assert.equal(heard.notices.length, 1);
  assert.equal(pool.totalCount, 1);
  await stream.close();
});

for (const [how, lose] of [
  ["cut", (proxy: PostgresProxy) => proxy.cut()],
  ["silent", (): void => {}],
] as const) {
  test(`C22 a connection that is ${how} before it listens is no stream: listening rejects, and nobody hears of a loss`, async (t) => {
    const lease = await leasePostgresDatabase(t);
    const proxy = await startPostgresProxy(t, lease.url);
    const pool = lease.pool({ connectionString: proxy.url });
    const answer = proxy.delayAnswers("LISTEN");
    const opening = openStream(await pool.connect(), { ...listener(), onLost: assert.fail });
    opening.catch(() => {});
    await pollUntil(async () => (await lease.query(LISTENING)).length > 0);
    lose(proxy);
    await withDeadline(assert.rejects(opening, { code: "database", retryable: true }), "the refusal");
    await pollUntil(() => pool.totalCount === 0);
    answer();
    await pollUntil(async () => (await lease.query(LISTENING)).length === 0);
  });
}
