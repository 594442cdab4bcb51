/** Rows that the database does not let a leader delete or promote: they hold up nobody behind them, and are said once. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { MaintenanceServiceName } from "../../src/model/river-event.ts";
import { insertRawJobs } from "./testdata/insert-jobs.ts";
import { advanceUntil, type LeadingClient, makeLeadingClient } from "./testdata/leading-client.ts";

failOnLeaks();

interface World {
  readonly clock: ManualClock;
  readonly handle: DatabaseSync;
  readonly client: LeadingClient;
  readonly ids: () => number[];
}

async function makeWorld(t: TestContext): Promise<World> {
  const clock = new ManualClock();
  const database = await leaseSqliteDatabase(t);
  const client = makeLeadingClient(t, database, { clientId: "leader", clock, databaseClock: clock });
  const handle = database.open();
  const ids = (): number[] =>
    handle
      .prepare("SELECT id FROM river_job ORDER BY id")
      .all()
      .map(({ id }) => Number(id));
  return { clock, handle, client, ids };
}

function countsOf({ client }: World, service: MaintenanceServiceName): number[] {
  return client.eventsOf("maintenance_succeeded").flatMap((event) => (event.service === service ? [event.count] : []));
}

/** Lets the leader pass `passes` times in all. */
function pass(world: World, service: MaintenanceServiceName, passes: number): Promise<unknown> {
  return advanceUntil(world.clock, [world.client], () => countsOf(world, service).length >= passes, {
    stepMs: 1_000,
    limitMs: 1_200_000,
  });
}

function errorsOf({ client }: World): unknown[] {
  return client.logs.flatMap(({ level, attributes, message }) =>
    level === "error" ? [[attributes["jobId"], message]] : [],
  );
}

test("old jobs that another table refers to are said once and left, and those behind them are deleted", async (t) => {
  const world = await makeWorld(t);
  const { clock, handle, client, ids } = world;
  const finalizedAt = clock.now().subtract({ hours: 24 * 30 });
  insertRawJobs(
    handle,
    finalizedAt,
    Array.from({ length: 5 }, () => ({ state: "completed", finalizedAt })),
  );
  handle.exec("CREATE TABLE app_note (job_id INTEGER REFERENCES river_job (id)); INSERT INTO app_note VALUES (1), (3)");
  client.leadership.start();
  await pass(world, "job_cleaner", 1);
  assert.deepEqual(ids(), [1, 3]);
  // Passes go on for longer than the two are left alone.
  await pass(world, "job_cleaner", 25);
  assert.deepEqual(client.eventsOf("maintenance_failed"), []);
  assert.deepEqual(
    errorsOf(world),
    ["1", "3"].map((id) => [id, "an old job cannot be deleted: the database refuses it"]),
  );
  handle.exec("DELETE FROM app_note");
  await pass(world, "job_cleaner", 50);
  assert.deepEqual(ids(), []);
});

test("due jobs that a trigger keeps are said once and left, and the others are promoted", async (t) => {
  const world = await makeWorld(t);
  const { clock, handle, client } = world;
  const scheduledAt = clock.now().subtract({ seconds: 1 });
  insertRawJobs(
    handle,
    scheduledAt,
    Array.from({ length: 4 }, () => ({ state: "scheduled", scheduledAt })),
  );
  handle.exec(`CREATE TRIGGER app_refuse BEFORE UPDATE ON river_job WHEN OLD.id IN (1, 3)
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  const states = (): unknown[] =>
    handle
      .prepare("SELECT state FROM river_job ORDER BY id")
      .all()
      .map(({ state }) => state);
  client.leadership.start();
  await pass(world, "scheduler", 1);
  assert.deepEqual(states(), ["scheduled", "available", "scheduled", "available"]);
  await pass(world, "scheduler", 15);
  assert.deepEqual(client.eventsOf("maintenance_failed"), []);
  assert.deepEqual(
    errorsOf(world).map((error) => (error as string[])[0]),
    ["1", "3"],
  );
  handle.exec("DROP TRIGGER app_refuse");
  await pass(world, "scheduler", 30);
  assert.deepEqual(states(), ["available", "available", "available", "available"]);
});

test("a queue that another table refers to is said once and left, and those behind it are deleted", async (t) => {
  const world = await makeWorld(t);
  const { clock, handle, client } = world;
  const now = clock.now().subtract({ hours: 24 * 30 });
  for (const name of ["a", "b", "c"]) await client.driver.queues.keepAlive({ name }, { now });
  handle.exec("CREATE TABLE app_queue (name TEXT REFERENCES river_queue (name)); INSERT INTO app_queue VALUES ('b')");
  const names = (): unknown[] =>
    handle
      .prepare("SELECT name FROM river_queue ORDER BY name")
      .all()
      .map(({ name }) => name);
  client.leadership.start();
  await pass(world, "queue_cleaner", 1);
  assert.deepEqual(names(), ["b"]);
  const said = client.logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    said.map(({ attributes }) => attributes["queue"]),
    ["b"],
  );
  assert.deepEqual(client.eventsOf("maintenance_failed"), []);
});

test("stuck jobs that a trigger keeps are said once and left, and the others are rescued", async (t) => {
  const world = await makeWorld(t);
  const { clock, handle, client } = world;
  const attemptedAt = clock.now().subtract({ hours: 3 });
  insertRawJobs(
    handle,
    attemptedAt,
    Array.from({ length: 4 }, () => ({ state: "running", attempt: 1, attemptedAt })),
  );
  handle.exec(`CREATE TRIGGER app_refuse BEFORE UPDATE ON river_job WHEN OLD.id IN (1, 3)
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  const running = (): unknown[] =>
    handle
      .prepare("SELECT id FROM river_job WHERE state = 'running' ORDER BY id")
      .all()
      .map(({ id }) => id);
  client.leadership.start();
  await pass(world, "rescuer", 1);
  assert.deepEqual(running(), [1, 3]);
  // Passes go on for longer than the two are left alone.
  await pass(world, "rescuer", 25);
  assert.deepEqual(
    errorsOf(world),
    ["1", "3"].map((id) => [id, "a stuck job cannot be rescued: the database refuses the change"]),
  );
  handle.exec("DROP TRIGGER app_refuse");
  await pass(world, "rescuer", 50);
  assert.deepEqual(running(), []);
});
