/** Whatever fails on SQLite, nothing that leaves the library tells a job's data or a statement. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, leaseSqliteDatabase, pollUntil, temporaryFolder } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { sqliteDatabase, stopFirst } from "../src/database.ts";
import { failCommand } from "../src/fail-command.ts";
import {
  failEverything,
  lookAtClient,
  SECRET_ARGS,
  SECRET_OPTIONS,
  secretiveClient,
  unique,
} from "../src/fail-everything.ts";
import { CANARY, Leaks } from "../src/leaks.ts";
import { task } from "../src/scene.ts";

failOnLeaks();

/** Refuses with data of the row, as far as SQLite's messages can hold any. */
function refusing(table: string, event: string, condition: string = "1"): string {
  return `CREATE TRIGGER refuse_${table}_${event} BEFORE ${event} ON ${table} WHEN ${condition}
    BEGIN SELECT RAISE(ABORT, 'INSERT INTO ${CANARY.trigger} ${CANARY.args}'); END`;
}

type Prepare = (this: DatabaseSync, ...args: unknown[]) => StatementSync;

/** Every connection that this process prepares a statement on until the test ends. */
function connectionsOf(t: TestContext): ReadonlySet<DatabaseSync> {
  const seen = new Set<DatabaseSync>();
  const prepare = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "prepare")?.value as Prepare;
  t.mock.method(DatabaseSync.prototype, "prepare", function (this: DatabaseSync, ...args: unknown[]) {
    seen.add(this);
    return prepare.apply(this, args);
  });
  return seen;
}

test("SQLite: triggers that raise, damaged rows, a table that is gone and refused values tell nothing of a job", async (t) => {
  stopFirst(t);
  const leaks = new Leaks();
  const database = await sqliteDatabase(t);
  const scene = secretiveClient(t, database);
  const { client: river } = scene;
  const { job } = await river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, pending: true });
  const run = await scene.start();
  await scene.events.when("leader_acquired");

  await database.query(refusing("river_job", "UPDATE", "old.state = 'running' AND new.state <> 'running'"));
  await river.insert(task, SECRET_ARGS, SECRET_OPTIONS);
  await pollUntil(() => scene.metrics.some(({ name }) => name === "job_completion_dropped"));
  await database.query("DROP TRIGGER refuse_river_job_UPDATE");

  for (const event of ["INSERT", "UPDATE", "DELETE"]) await database.query(refusing("river_job", event));
  await database.query(refusing("river_queue", "UPDATE"));
  await database.query(refusing("river_leader", "UPDATE"));
  await failEverything(leaks, "a trigger", scene, job.id);
  await pollUntil(() => scene.logs.some(({ message }) => message.includes("renewing leadership failed")));
  for (const event of ["INSERT", "UPDATE", "DELETE"]) await database.query(`DROP TRIGGER refuse_river_job_${event}`);
  await database.query("DROP TRIGGER refuse_river_queue_UPDATE");

  await leaks.failure("a NUL", () => river.insert(task, { n: `${CANARY.args}\0` }, SECRET_OPTIONS));
  const options = { ...SECRET_OPTIONS, unique, delay: { hours: 1 } };
  const first = await river.insert(task, { ...SECRET_ARGS, key: 1 }, options);
  await database.query(
    "UPDATE river_job SET state = 'discarded', finalized_at = CURRENT_TIMESTAMP WHERE id = $1",
    first.job.id,
  );
  await river.insert(task, { ...SECRET_ARGS, key: 1 }, options);
  await leaks.failure("a unique conflict", () => river.jobs.retry(first.job.id));
  await leaks.failure("no transaction", () =>
    river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, tx: new DatabaseSync(":memory:") }),
  );

  // Rows that only somebody else can have written.
  const damaged = `INSERT INTO river_job (kind, args, metadata, attempted_by, tags, errors, queue, priority, max_attempts)
    VALUES ('task', $1, $2, $3, $4, $5, 'default', 1, 3)`;
  for (let column = 0; column < 5; column++) {
    const values: (string | null)[] = ["{}", "{}", null, "[]", null];
    values[column] = `{"${CANARY.args}`;
    await database.query(damaged, ...values).catch((error: unknown) => assert.fail(`${column}: ${String(error)}`));
  }
  await pollUntil(async () => (await database.query("SELECT 1 FROM river_job WHERE state = 'available'")).length === 0);
  const { jobs } = await river.jobs.list({ kinds: ["task"], limit: 100 });
  for (const read of jobs) {
    try {
      for (const key of ["args", "metadata", "attemptedBy", "tags", "errors"] as const) void read[key];
    } catch (error) {
      leaks.look("a damaged row", error);
    }
  }

  await database.query("ALTER TABLE river_job RENAME TO hidden");
  await database.query("ALTER TABLE river_queue RENAME TO hidden_too");
  await failEverything(leaks, "no table", scene, job.id);
  await database.query("ALTER TABLE hidden RENAME TO river_job");
  await database.query("ALTER TABLE hidden_too RENAME TO river_queue");
  await lookAtClient(leaks, scene, run);
  leaks.assertNone();
});

test("SQLite: a full disk and a lock that is held tell nothing of a job", async (t) => {
  stopFirst(t);
  const leaks = new Leaks();
  const connections = connectionsOf(t);
  const lease = await leaseSqliteDatabase(t);
  const handle = lease.open({ timeout: 5_000 });
  const driver = new SqliteDriver(handle, { busyTimeout: { milliseconds: 50 } });
  t.after(() => driver.close());
  const query = (text: string): Promise<[]> => Promise.resolve(handle.exec(text)).then(() => []);
  const scene = secretiveClient(t, { backend: "sqlite", driver, query, begin: assert.fail, again: assert.fail });
  const { client: river } = scene;
  const { job } = await river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, pending: true });
  const run = await scene.start();
  await scene.events.when("leader_acquired");

  for (const connection of connections) if (connection.isOpen) connection.exec("PRAGMA max_page_count = 1");
  const big = { ...SECRET_ARGS, more: CANARY.args.repeat(50_000) };
  const full = await leaks.failure("a full disk", () => river.insert(task, big, SECRET_OPTIONS));
  assert.deepEqual(
    [(full as { retryable?: unknown }).retryable, (full as { details?: { reason?: unknown } }).details?.reason],
    [true, "full"],
  );
  for (const connection of connections) if (connection.isOpen) connection.exec("PRAGMA max_page_count = 1000000");

  const holder = lease.open({ timeout: 5_000 });
  holder.exec("BEGIN IMMEDIATE");
  await failEverything(leaks, "a lock", scene, job.id);
  await pollUntil(() => scene.logs.some(({ message }) => message.includes("failed")));
  holder.exec("ROLLBACK");
  await river.insert(task, SECRET_ARGS, SECRET_OPTIONS);
  await scene.events.when("job_completed");
  await lookAtClient(leaks, scene, run);
  leaks.assertNone();
});

test("SQLite: files that are no database, migrations and command lines that fail tell no statement", async (t) => {
  const leaks = new Leaks();
  const path = join(temporaryFolder(t), "river.db");
  writeFileSync(path, `${CANARY.args} SELECT `.repeat(1_000));
  const garbage = new DatabaseSync(path);
  t.after(() => garbage.close());
  await leaks.failure("a driver", () =>
    Promise.resolve(garbage).then((handle) => new SqliteDriver(handle).jobs.get({ id: 1n })),
  );
  await leaks.failure("a migration", () => createMigrator({ database: garbage }).migrateUp());
  const lease = await leaseSqliteDatabase(t);
  const database = lease.open();
  for (const upSql of [`SELECT '${CANARY.sql}' FROM`, `INSERT INTO ${CANARY.sql} VALUES (1)`]) {
    const migrations = [{ version: 1, name: "broken", upSql, downSql: upSql }];
    await leaks.failure("a broken migration", () =>
      createMigrator({ database }, { line: "own", migrations }).migrateUp(),
    );
  }
  database.exec(refusing("river_migration", "DELETE"));
  await leaks.failure("a migration under a trigger", () => createMigrator({ database }).migrateDown());
  for (const [command, url] of [
    ["migrate-down", `sqlite://${lease.path}`],
    ["migrate-up", `sqlite://${path}`],
    ["migrate-list", `sqlite://${path}`],
    ["validate", `sqlite://${path}`],
  ] as const) {
    await failCommand(leaks, `riverqueue ${command}`, [command, "--database-url", url, "--verbose"]);
  }
  leaks.assertNone();
});
