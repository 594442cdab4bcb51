/** Statements of extension lines on the connections of a runtime, and what a client writes of itself with them. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, waitForItem } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { Client, defineJob, Workers } from "riverqueue";
import { claim, driverFixture, insertOne, lead } from "./fixture/driver-fixture.ts";

failOnLeaks();

test("statements in the background that are stuck hold up neither claims nor leadership, and end with their limit", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const session = await driver.openSession({ listens: false, leads: true });
  await lease.query("SELECT pg_advisory_lock(7)");
  const wait = { text: "SELECT pg_advisory_xact_lock($1::bigint)", values: [7] };
  const background = { lane: "background" } as const;
  const stuck = [session.extension.run([wait], background), session.extension.run([wait, wait], background)];
  const waiting = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
  await pollUntil(async () => (await lease.query(waiting))[0]?.["n"] === 2);

  await insertOne(driver);
  assert.equal((await claim(session)).length, 1);
  const term = await lead(session);
  assert.ok(await session.leader.renew({ term, ttlMs: 60_000 }));
  const [result] = await session.extension.run([{ text: "SELECT 1 AS one", values: [] }]);
  assert.deepEqual(result?.rows, [{ one: 1 }]);
  await assert.rejects(session.extension.run([wait], { ...background, timeoutMs: 50 }), {
    code: "database",
    retryable: true,
  });
  await lease.query("SELECT pg_advisory_unlock(7)");
  await Promise.all(stuck);
  await session.extension.run([{ text: "SELECT 1", values: [] }], background);
  await session.close();
});

test("a client writes its row, its counts and its audit trail, and takes the row back when it stops", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await createMigrator(driver, { line: "fleet" }).migrateUp();
  const job = defineJob({ kind: "count" });
  const workers = new Workers().add(job, () => undefined);
  const client = new Client(driver, { clientId: "one", queues: { default: { maxWorkers: 5 } }, workers });
  const events = client.subscribe({ kinds: ["job_completed"] });
  const run = await client.start();
  await client.insertMany(Array.from({ length: 3 }, () => ({ job, args: {} })));
  for (let n = 0; n < 3; n++) await waitForItem(events, ({ kind }) => kind === "job_completed");
  await pollUntil(async () => (await client.inspect.fleetClients())?.length === 1);
  const [row] = (await client.inspect.fleetClients()) ?? [];
  assert.deepEqual(
    [row?.clientId, row?.processId, row?.state, row?.live, row?.queues],
    ["one", process.pid, "running", true, { default: { maxWorkers: 5, paused: false } }],
  );
  await run.stop();
  assert.deepEqual(await client.inspect.fleetClients(), []);
  const counts = "SELECT sum(inserted)::int AS inserted, sum(completed)::int AS completed FROM river_fleet_minute";
  assert.deepEqual(await lease.query(counts), [{ inserted: 3, completed: 3 }]);
  const actions = (await client.inspect.fleetAudit())?.map(({ action }) => action) ?? [];
  assert.equal(actions.at(-1), "client_started");
  assert.equal(actions[0], "client_stopped");
});

test("a table that somebody has locked holds up no job", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await createMigrator(driver, { line: "fleet" }).migrateUp();
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE river_fleet_client, river_fleet_minute, river_fleet_audit IN ACCESS EXCLUSIVE MODE");
  const job = defineJob({ kind: "count" });
  const workers = new Workers().add(job, () => undefined);
  const warnings: string[] = [];
  const log = (_: object, message: string): void => void warnings.push(message);
  const client = new Client(driver, {
    queues: { default: { maxWorkers: 5 } },
    workers,
    logger: { debug() {}, info() {}, warn: log, error: log },
  });
  const events = client.subscribe({ kinds: ["job_completed"] });
  const run = await client.start();
  await client.insertMany(Array.from({ length: 10 }, () => ({ job, args: {} })));
  for (let n = 0; n < 10; n++) await waitForItem(events, ({ kind }) => kind === "job_completed");
  await run.stop();
  await holder.query("ROLLBACK");
  assert.deepEqual(warnings, ["the fleet's tables could not be written; jobs are not affected"]);
});
