/** The schema is migrated beneath clients that work, those from before and those that come after. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { MigrationError } from "riverqueue";
import {
  type Database,
  onBothDatabases,
  onPostgres,
  postgresDatabase,
  sqliteDatabase,
  stopFirst,
} from "../src/database.ts";
import { numbered, openScene, quickQueue, type Scene } from "../src/scene.ts";

failOnLeaks();

const BATCH = 25;
const CLIENT = { queues: { default: quickQueue(20) } } as const;

/** Inserts batch after batch until it is told to end; how many jobs that were. */
function insertContinually({ client }: Scene): () => Promise<number> {
  const end = new AbortController();
  const inserting = (async () => {
    let count = 0;
    for (; !end.signal.aborted; count += BATCH) await client.insertMany(numbered(BATCH));
    return count;
  })();
  inserting.catch(() => {});
  return () => {
    end.abort();
    return withDeadline(inserting, "the last insertion");
  };
}

/** Everything inserted has been worked once, by one of the two, and nobody has had anything to complain about. */
async function assertAllWorkedOnce(scenes: readonly Scene[], inserted: number): Promise<void> {
  const [first] = scenes;
  assert.ok(first);
  await pollUntil(async () => (await first.states())["completed"] === inserted);
  assert.deepEqual(await first.states(), { completed: inserted });
  assert.equal(
    scenes.reduce((sum, { calls }) => sum + calls.length, 0),
    inserted,
  );
  assert.deepEqual(
    scenes.flatMap(({ complaints }) => complaints()),
    [],
  );
}

async function migrateBeneath(t: TestContext, database: Database, from: number): Promise<void> {
  const migrator = createMigrator(database.again().driver);
  await migrator.migrateDown({ targetVersion: from });
  assert.equal((await migrator.validate()).ok, false);
  const old = openScene(t, database, { client: CLIENT });
  await old.start();
  const end = insertContinually(old);
  await old.events.when("job_completed", BATCH);
  const { versions } = await migrator.migrateUp();
  assert.equal(versions[0]?.version, from + 1);
  const migrated = old.events.of("job_completed").length;
  const fresh = openScene(t, database.again(), { client: CLIENT });
  await fresh.start();
  await fresh.events.when("job_completed", BATCH);
  await old.events.when("job_completed", migrated + BATCH);
  await assertAllWorkedOnce([old, fresh], await end());
  assert.equal((await migrator.validate()).ok, true);
}

onBothDatabases(
  "E01 from version 7 to the latest while old and new clients insert and work: nothing fails, nothing runs twice",
  (t, database) => migrateBeneath(t, database, 7),
);

onPostgres("E01 the same from version 6, which changes tables that are in use", (t, lease) =>
  migrateBeneath(t, postgresDatabase(lease), 6),
);

test("E01 before version 7 a client on SQLite says which table it lacks, and how to get it", async (t) => {
  stopFirst(t);
  const database = await sqliteDatabase(t);
  const migrator = createMigrator(database.again().driver);
  await migrator.migrateDown({ targetVersion: 6 });
  const { start } = openScene(t, database, { client: CLIENT });
  await assert.rejects(start(), { code: "configuration", message: /lacks river_notification: .*migrate/ });
  await migrator.migrateUp();
  await (await start()).stop();
});

onPostgres(
  "E01 a migration that finds the table locked gives up after lock_timeout, and meanwhile holds nobody up for longer",
  async (t, lease) => {
    const migrator = createMigrator({ pool: lease.pool({ options: "-c lock_timeout=200ms" }) });
    await migrator.migrateDown({ targetVersion: 6 });
    const scene = openScene(t, postgresDatabase(lease), { client: CLIENT });
    await scene.start();
    const end = insertContinually(scene);
    await scene.events.when("job_completed", BATCH);
    const reader = await lease.connect();
    await reader.query("BEGIN");
    await reader.query("SELECT count(*) FROM river_job");
    await assert.rejects(migrator.migrateUp(), (error) => {
      assert.ok(error instanceof MigrationError, String(error));
      assert.equal(error.retryable, true);
      assert.match(error.message, /version 7 up failed.*55P03$/);
      return true;
    });
    assert.equal((await migrator.validate()).ok, false);
    const completed = scene.events.of("job_completed").length;
    await scene.events.when("job_completed", completed + BATCH);
    await reader.query("COMMIT");
    assert.equal((await migrator.migrateUp()).versions[0]?.version, 7);
    await scene.events.when("job_completed", scene.events.of("job_completed").length + BATCH);
    await assertAllWorkedOnce([scene], await end());
  },
);
