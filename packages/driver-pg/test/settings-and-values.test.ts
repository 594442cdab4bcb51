/** What applications and servers may have set: schemas of any name, parsers, styles of output, odd values in rows. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { PgDriver } from "@riverqueue/driver-pg";
import type { Notice } from "riverqueue/driver";
import { types } from "pg";
import {
  claim,
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  keyOf,
  lead,
  newJob,
  read,
  settle,
} from "./fixture/driver-fixture.ts";

failOnLeaks();

const NOTICE: Notice = { topic: "river_insert", payload: "{}" };

for (const schema of ['a"b', "Sch é.ma", "it's \\ $1"]) {
  test(`everything works in a schema named ${schema}`, async (t) => {
    const { driver, lease } = await driverFixture(t, { schema });
    await lease.query(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`);
    await createMigrator(driver).migrateUp();
    await insert(
      driver,
      {},
      { uniqueKey: keyOf(1), uniqueStates: 245 },
      { state: "scheduled", scheduledAt: fromNow(0) },
    );
    const jobs = await claim(driver);
    const settlements = jobs.map((job, index) => endOf(job, index === 0 ? {} : { metadata: '{"a":1}' }));
    assert.equal((await driver.jobs.settle({ settlements, wantRows: true })).length, 2);
    const session = await driver.openSession({ listens: true, leads: true });
    const term = await lead(session);
    const at = { dueBy: fromNow(5_000), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9 };
    assert.equal((await session.jobs.promote({ term, ...at, noticesFor: () => [NOTICE] }))?.promoted, 1);
    assert.equal(await session.leader.resign({ term }), true);
    assert.deepEqual(await driver.indexes.existing({ names: ["river_job_kind"] }), ["river_job_kind"]);
    await driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: null, signal: new AbortController().signal });
    assert.equal((await driver.inspect.queues({ cap: 9, limit: 9, timeoutMs: 20_000 }))[0]?.available, 1);
    assert.deepEqual(await lease.query("SELECT count(*)::int AS n FROM public.river_job"), [{ n: 0 }]);
    await session.close();
  });
}

test("parsers that the application has set do not reach River", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const arrays = [1009, 1015, 1016, 3807] as unknown as Parameters<typeof types.getTypeParser>[0][];
  for (const id of [...Object.values(types.builtins), ...arrays]) {
    const parser = types.getTypeParser(id);
    types.setTypeParser(id, () => ({ hostile: true }));
    t.after(() => types.setTypeParser(id, parser));
  }
  const unique = { uniqueKey: keyOf(1), uniqueStates: 245, tags: ["one"], args: '{"n":9007199254740993}' };
  const { id } = await insertOne(driver, unique);
  const job = await claimOne(driver);
  assert.deepEqual([job.id, job.tags, job.args, job.uniqueStates], [id, ["one"], '{"n": 9007199254740993}', 245]);
  assert.deepEqual(job.uniqueKey, keyOf(1));
  assert.equal((await settle(driver, endOf(job, { metadata: "{}" }))).outcome, "settled");
  const client = await lease.connect();
  await client.query("BEGIN");
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  const [inserted] = await driver.jobs.insert(params, { scope: { owner: "caller", tx: client } });
  assert.equal(inserted?.job.id, id + 1n);
  const other = await lease.connect();
  for (const source of [driver, { pool: lease.pool() }, { client: other }]) {
    assert.deepEqual(await createMigrator(source).existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);
  }
  await assert.rejects(createMigrator({ client }).validate(), { message: /has a transaction open$/ });
  await client.query("COMMIT");
});

test("results are read whatever the session's time zone and style of bytes are", async (t) => {
  const { lease } = await driverFixture(t);
  const options = "-c TimeZone=Asia/Kathmandu -c bytea_output=escape -c IntervalStyle=sql_standard";
  const driver = new PgDriver(lease.pool({ options }));
  const scheduledAt = Temporal.Instant.from("2030-01-02T03:04:05.000001Z");
  const { id } = await insertOne(driver, { scheduledAt, uniqueKey: keyOf(255), uniqueStates: 245 });
  const job = await read(driver, id);
  assert.equal(job.scheduledAt.toString(), scheduledAt.toString());
  assert.deepEqual(job.uniqueKey, keyOf(255));
  const term = await lead(driver);
  assert.ok(await driver.leader.renew({ term, ttlMs: 1_000 }));
});

test("a DateStyle other than ISO is refused by name", async (t) => {
  const { driver: plain, lease } = await driverFixture(t);
  const { id } = await insertOne(plain);
  const driver = new PgDriver(lease.pool({ options: "-c DateStyle=SQL,DMY" }));
  await assert.rejects(driver.openSession({ listens: false, leads: false }), { message: /DateStyle SQL, DMY/ });
  await assert.rejects(driver.jobs.claim({ queue: "default", clientId: "c", limit: 1, kinds: null, hint: null }), {
    message: /DateStyle SQL, DMY/,
  });
  await assert.rejects(driver.queues.keepAlive({ name: "q" }), { message: /DateStyle SQL, DMY/ });
  assert.equal((await read(plain, id)).state, "available");
  const client = await lease.connect({ options: "-c DateStyle=SQL,DMY" });
  await client.query("BEGIN");
  const scope = { owner: "caller", tx: client } as const;
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  await assert.rejects(plain.jobs.insert(params, { scope }), { message: /the connection's DateStyle must be ISO/ });
  const job = await plain.jobs.get({ id }, { scope });
  assert.throws(() => job?.createdAt, { message: /the connection's DateStyle must be ISO/ });
  await client.query("ROLLBACK");
});

test("times that cannot be held are an error of their own row", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const [a, b] = await insert(driver, {}, {});
  assert.ok(a && b);
  for (const [stored, expected] of [
    ["0044-03-15 12:00:00+00 BC", "-000043-03-15T12:00:00Z"],
    ["0001-01-01 00:00:00+00", "0001-01-01T00:00:00Z"],
    ["12026-08-07 10:00:00.5+02", "+012026-08-07T08:00:00.5Z"],
    ["infinity", null],
    ["-infinity", null],
    ["290000-01-01 00:00:00+00", null],
  ] as const) {
    await lease.query("UPDATE river_job SET created_at = $1 WHERE id = $2", [stored, a.id]);
    const job = await read(driver, a.id);
    if (expected === null) {
      const message = /river_job\.created_at of job 1 cannot be read/;
      assert.throws(() => job.createdAt, { code: "database", message }, stored);
    } else assert.equal(job.createdAt.toString(), expected);
  }
  const far = ["-000043-03-15T12:00:00Z", "0000-06-01T00:00:00Z", "+012026-08-07T08:00:00.5Z"];
  for (const text of far) {
    const { id } = await insertOne(driver, { scheduledAt: Temporal.Instant.from(text) });
    assert.equal((await read(driver, id)).scheduledAt.toString(), text);
  }
});

test("arrays of other shapes neither hinder a claim nor the end of the attempt", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const [a, b] = await insert(driver, {}, {});
  assert.ok(a && b);
  await lease.query(
    `UPDATE river_job SET attempted_by = '{{a,b},{c,d}}', errors = array[array['1'::jsonb]], metadata = '[1]',
      args = '"text"', tags = '[5:6]={x,NULL}' WHERE id = $1`,
    [a.id],
  );
  await lease.query(`UPDATE river_job SET attempted_by = '[0:1]={x,y}', attempt = 32767 WHERE id = $1`, [b.id]);
  const [bad, good] = await claim(driver);
  assert.ok(bad && good);
  assert.deepEqual([bad.attemptedBy, good.attemptedBy], [["client-1"], ["x", "y", "client-1"]]);
  for (const column of ["args", "metadata", "tags", "errors"] as const) {
    assert.throws(() => bad[column], { code: "database", message: new RegExp(`river_job\\.${column} of job 1`) });
  }
  const error = '{"at":"2024-05-01T12:34:56Z","attempt":1,"error":"boom","trace":""}';
  const change = { state: "retryable", error, metadata: '{"output":1}', clientId: "client-1" } as const;
  const settled = await driver.jobs.settle({ settlements: [endOf(bad, change), endOf(good, change)], wantRows: true });
  assert.deepEqual(
    settled.map(({ outcome, state }) => [outcome, state]),
    [
      ["settled", "retryable"],
      ["settled", "retryable"],
    ],
  );
  assert.deepEqual(JSON.parse(settled[0]?.job?.errors ?? ""), [[[1]], JSON.parse(error)]);
  assert.deepEqual((await lease.query("SELECT metadata FROM river_job WHERE id = $1", [a.id]))[0], { metadata: [1] });
});

test("numbers are exact and negative counts are presented as 0", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const id = 9_223_372_036_854_775_807n;
  await lease.query(
    `INSERT INTO river_job (id, kind, args, attempt, max_attempts) VALUES ($1, 'k', '{"n": 9007199254740993}', -5, 1)`,
    [id],
  );
  const job = await read(driver, id);
  assert.deepEqual([job.id, job.attempt, job.args], [id, 0, '{"n": 9007199254740993}']);
});
