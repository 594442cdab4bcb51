/** A server that lacks notifications and `xmax`: known by its version, which a function of that name stands in for here. */
import assert from "node:assert/strict";
import { failOnLeaks, waitForItem } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { PgDriver } from "@riverqueue/driver-pg";
import { Client, defineJob, Workers } from "riverqueue";
import { keyOf, newJob } from "./fixture/driver-fixture.ts";

failOnLeaks();

test("YugabyteDB is recognized at the first connection: no connection listens, and a nonce tells duplicates", async (t) => {
  const lease = await leasePostgresDatabase(t);
  await lease.query("CREATE SCHEMA yb");
  await lease.query(
    "CREATE FUNCTION yb.version() RETURNS text LANGUAGE sql AS $$ SELECT 'PostgreSQL 15.2-YB-2.25.1.0-b0 on Linux' $$",
  );
  const pool = lease.pool({ options: "-c search_path=yb,pg_catalog,public" });
  const driver = new PgDriver(pool, { schema: "public" });
  assert.equal(driver.traits.listens, true);
  const job = defineJob({ kind: "plain" });
  const client = new Client(driver, {
    queues: { default: { maxWorkers: 1, pollInterval: { milliseconds: 100 } } },
    workers: new Workers().add(job, () => {}),
  });
  const events = client.subscribe({ kinds: ["job_completed"] });
  await using run = await client.start();
  assert.equal(driver.traits.listens, false);
  assert.deepEqual(
    await lease.query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"),
    [],
  );
  await client.insert(job, {});
  await waitForItem(events, ({ kind }) => kind === "job_completed");
  await run.stop();
  const session = await driver.openSession({ listens: true, leads: false });
  const kept = pool.totalCount - pool.idleCount;
  await session.close();
  assert.deepEqual([kept, pool.totalCount - pool.idleCount], [3, 0]);
  const jobs = [newJob({ uniqueKey: keyOf(1), uniqueStates: 245 })];
  for (const duplicate of [false, true]) {
    const [inserted] = await driver.jobs.insert({ jobs, notices: [], durability: "default" });
    assert.equal(inserted?.duplicate, duplicate);
    assert.match(inserted.job.metadata, /"river:unique_nonce": "[0-9a-f]{16}"/);
  }
});
