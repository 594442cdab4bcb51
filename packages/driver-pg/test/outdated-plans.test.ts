/** Statements that were prepared before the tables were made anew: the types of their results are others since then. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { DatabaseOperationError } from "riverqueue/driver";
import {
  claim,
  driverFixture,
  endOf,
  fromNow,
  insert,
  keyOf,
  lead,
  newJob,
  type DriverFixture,
} from "./fixture/driver-fixture.ts";

failOnLeaks();

const UNIQUE = { uniqueKey: keyOf(1), uniqueStates: 245 };

async function makeTablesAnew({ lease }: DriverFixture): Promise<void> {
  const migrator = createMigrator({ pool: lease.pool() });
  await migrator.migrateDown({ targetVersion: 0 });
  await migrator.migrateUp();
}

test("a session and its driver go on, each statement at once", async (t) => {
  const fixture = await driverFixture(t);
  const session = await fixture.driver.openSession({ listens: false, leads: true });
  const at = { dueBy: fromNow(60_000), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9, noticesFor: () => [] };
  for (let round = 0; round < 3; round++) {
    if (round > 0) await makeTablesAnew(fixture);
    const term = await lead(session);
    await insert(fixture.driver, UNIQUE, {}, { state: "scheduled", scheduledAt: fromNow(0) });
    assert.equal((await session.jobs.promote({ ...at, term }))?.promoted, 1);
    const jobs = [...(await claim(session)), ...(await claim(session))];
    assert.equal(jobs.length, 3);
    // One end by the plain statement, one that takes the general one, so that both run in a transaction.
    const settlements = jobs.map((job, index) => endOf(job, index === 0 ? {} : { metadata: '{"a":1}' }));
    const settled = await session.jobs.settle({ settlements, wantRows: true });
    assert.deepEqual(
      settled.map(({ state }) => state),
      ["completed", "completed", "completed"],
    );
  }
  await session.close();
});

test("an extension's prepared statement goes on at once, alone and with others", async (t) => {
  const { driver, lease, pool } = await driverFixture(t, {}, { max: 1 });
  const { extension } = driver;
  const table = extension.tableName("thing");
  const read = { text: `select * from ${table} where n = $1`, values: [1], prepare: true };
  const names = (): Promise<unknown> =>
    pool.query("select statement from pg_prepared_statements where statement like '%thing%'").then(({ rows }) => rows);
  await lease.query(`create table ${table} (n integer)`);
  await lease.query(`insert into ${table} values (1)`);
  await extension.run([{ ...read, prepare: false }]);
  assert.deepEqual(await names(), []);
  assert.deepEqual((await extension.run([read]))[0]?.rows, [{ n: 1 }]);
  assert.deepEqual(await names(), [{ statement: read.text }]);
  await lease.query(`alter table ${table} add t text`);
  assert.deepEqual((await extension.run([read]))[0]?.rows, [{ n: 1, t: null }]);
  await lease.query(`alter table ${table} drop t`);
  const twice = await extension.run([read, read]);
  assert.deepEqual(
    twice.map(({ rows }) => rows),
    [[{ n: 1 }], [{ n: 1 }]],
  );
});

test("a transaction of the application may be tried again, on the same connection", async (t) => {
  const fixture = await driverFixture(t);
  const { driver } = fixture;
  const tx = await fixture.lease.connect();
  const insertUnique = async (): Promise<void> => {
    await tx.query("begin");
    const call = { scope: { owner: "caller", tx } } as const;
    await driver.jobs.insert({ jobs: [newJob(UNIQUE)], notices: [], durability: "default" }, call);
    await tx.query("commit");
  };
  await insertUnique();
  await makeTablesAnew(fixture);
  await assert.rejects(insertUnique(), (error) => {
    assert.ok(error instanceof DatabaseOperationError);
    assert.deepEqual([error.retryable, error.details["reason"]], [true, "prepared"]);
    return true;
  });
  await tx.query("rollback");
  await insertUnique();
  assert.deepEqual(await fixture.lease.query("select count(*)::int as n from river_job"), [{ n: 1 }]);
});
