/** Whatever fails on Postgres, nothing that leaves the library tells a job's data, a password or a statement. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { failOnLeaks, pollUntil, scaled } from "@riverqueue/internal-test-kit";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { createMigrator } from "@riverqueue/migrate";
import type { ClientBase, PoolConfig } from "pg";
import { exactJsonNumber } from "riverqueue";
import { postgresDatabase } from "../src/database.ts";
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
import { type OwnServer, ownServerTest } from "../src/own-server.ts";
import { openScene, type Scene, task } from "../src/scene.ts";

failOnLeaks();

function client(t: TestContext, server: OwnServer, pool: PoolConfig = {}): Scene {
  return secretiveClient(t, postgresDatabase(server, pool));
}

/** Refuses every change of a row with all of the row, in all fields that a message has. */
const REFUSING = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION '${CANARY.trigger} %', coalesce(new, old) USING
      DETAIL = 'INSERT INTO ' || coalesce(new, old)::text, HINT = current_query(), ERRCODE = 'check_violation';
  END $$`;

ownServerTest(
  "a trigger that raises with whole rows: claims, completions, leases, insertions and changes tell nothing of them",
  async (t, server) => {
    const leaks = new Leaks();
    const scene = client(t, server);
    const { job } = await scene.client.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, pending: true });
    const run = await scene.start();
    await scene.events.when("leader_acquired");
    await scene.client.insert(task, { ...SECRET_ARGS, inOwnTransaction: true }, SECRET_OPTIONS);
    await scene.events.when("job_failed");
    await server.query(REFUSING);
    // Of what a claim made, only the completion is refused.
    await server.query(`CREATE TRIGGER refuse BEFORE UPDATE ON river_job FOR EACH ROW
    WHEN (old.state = 'running' AND new.state <> 'running') EXECUTE FUNCTION refuse()`);
    await scene.client.insert(task, SECRET_ARGS, SECRET_OPTIONS);
    await pollUntil(() => scene.metrics.some(({ name }) => name === "job_completion_dropped"));
    await server.query("DROP TRIGGER refuse ON river_job");
    for (const table of ["river_job", "river_queue", "river_leader"]) {
      await server.query(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION refuse()`);
    }
    await failEverything(leaks, "a trigger", scene, job.id);
    // A job that no claim can have, and one that the cleaner cannot delete.
    const tx = await server.connect();
    await tx.query("BEGIN");
    await tx.query("ALTER TABLE river_job DISABLE TRIGGER refuse");
    await scene.client.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, tx });
    await tx.query(
      `INSERT INTO river_job (kind, args, tags, state, finalized_at, max_attempts)
        VALUES ('task', $1, $2, 'completed', now() - interval '1 day', 1)`,
      [JSON.stringify(SECRET_ARGS), [CANARY.tag]],
    );
    await tx.query("ALTER TABLE river_job ENABLE TRIGGER refuse");
    await tx.query("COMMIT");
    const logged = (text: string) => () => scene.logs.some(({ message }) => message.includes(text));
    await pollUntil(logged("a job cannot be claimed"));
    await pollUntil(logged("an old job cannot be deleted"));
    await pollUntil(logged("renewing leadership failed"));
    await lookAtClient(leaks, scene, run);
    leaks.assertNone();
  },
);

/** Locks all tables at once; false when a statement of the client's held one of them and waited for another. */
async function lockAll(holder: ClientBase): Promise<boolean> {
  await holder.query("BEGIN");
  try {
    await holder.query("LOCK TABLE river_leader, river_job, river_queue");
    return true;
  } catch (error) {
    assert.equal((error as { readonly code?: unknown }).code, "40P01");
    await holder.query("ROLLBACK");
    return false;
  }
}

ownServerTest(
  "timeouts, lost tables, rights and connections, and values that the server refuses",
  async (t, server) => {
    const leaks = new Leaks();
    const proxy = await startPostgresProxy(t, server.url);
    await server.query(`CREATE ROLE worker LOGIN PASSWORD '${CANARY.password}'`);
    await server.query("GRANT ALL ON ALL TABLES IN SCHEMA public TO worker");
    await server.query("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO worker");
    const address = new URL(proxy.url);
    [address.username, address.password] = ["worker", CANARY.password];
    const options = `-c statement_timeout=${Math.max(1_000, scaled(2_000))}`;
    const scene = client(t, server, { connectionString: address.href, options });
    const { client: river } = scene;
    const { job } = await river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, pending: true });
    const run = await scene.start();

    await leaks.failure("a number beyond numeric", () =>
      river.insert(task, { ...SECRET_ARGS, n: exactJsonNumber("1e131073") }, SECRET_OPTIONS),
    );
    await leaks.failure("a NUL", () => river.insert(task, { ...SECRET_ARGS, n: `${CANARY.args}\0` }, SECRET_OPTIONS));
    await leaks.failure("a tag that is too long", () =>
      river.insert(task, SECRET_ARGS, { tags: [CANARY.tag.repeat(50)] }),
    );
    await uniqueConflict(leaks, scene, server);

    const holder = await server.connect();
    await pollUntil(() => lockAll(holder));
    await failEverything(leaks, "a statement timeout", scene, job.id);
    await holder.query("ROLLBACK");

    await server.query("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM worker");
    await failEverything(leaks, "no rights", scene, job.id);
    await server.query("GRANT ALL ON ALL TABLES IN SCHEMA public TO worker");

    await server.query("ALTER TABLE river_job RENAME TO hidden");
    await server.query("ALTER TABLE river_queue RENAME TO hidden_too");
    await failEverything(leaks, "no tables", scene, job.id);
    await server.query("ALTER TABLE hidden RENAME TO river_job");
    await server.query("ALTER TABLE hidden_too RENAME TO river_queue");

    await server.query("SELECT pg_notify('public.river_insert', $1)", [`${CANARY.payload} no JSON`]);
    await server.query("SELECT pg_notify('public.river_control', $1)", [
      JSON.stringify({ action: "cancel", job_id: CANARY.payload, queue: "default" }),
    ]);
    await server.query("SELECT pg_notify('public.river_leadership', $1)", [`{"${CANARY.payload}`]);
    await pollUntil(() => scene.logs.some(({ message }) => message.includes("could not be read")));

    proxy.accept(false);
    proxy.cut();
    await failEverything(leaks, "no connection", scene, job.id);
    await pollUntil(() => scene.logs.some(({ message }) => message.includes("notification stream broke")));
    proxy.accept(true);
    await pollUntil(async () => (await river.queues.get("default").catch(() => null)) !== null);
    await lookAtClient(leaks, scene, run);
    leaks.assertNone();
  },
);

/** Of A (discarded) and B with A's key: the retry of A, and what comes after it in the caller's transaction. */
async function uniqueConflict(leaks: Leaks, { client: river }: Scene, server: OwnServer): Promise<void> {
  const options = { ...SECRET_OPTIONS, unique, delay: { hours: 1 } };
  const first = await river.insert(task, { ...SECRET_ARGS, key: 1 }, options);
  await server.query("UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE id = $1", [first.job.id]);
  await river.insert(task, { ...SECRET_ARGS, key: 1 }, options);
  await leaks.failure("a unique conflict", () => river.jobs.retry(first.job.id));
  const tx = await server.connect();
  await tx.query("BEGIN");
  await leaks.failure("a unique conflict in a transaction", () => river.jobs.retry(first.job.id, { tx }));
  await leaks.failure("an aborted transaction", () => river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, tx }));
  await tx.query("ROLLBACK");
  await leaks.failure("no transaction", () =>
    river.insert(task, SECRET_ARGS, { ...SECRET_OPTIONS, tx: {} as typeof tx }),
  );
}

ownServerTest("starts, migrations and command lines that fail tell no password and no statement", async (t, server) => {
  const leaks = new Leaks();
  writeFileSync(
    join(server.folder, "data", "pg_hba.conf"),
    "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
  );
  await server.query("CREATE ROLE worker LOGIN PASSWORD 'right'");
  await server.query(`CREATE ROLE crowded LOGIN CONNECTION LIMIT 0 PASSWORD '${CANARY.password}'`);
  await server.query("SELECT pg_reload_conf()");
  const addresses = ["worker", "crowded", CANARY.sql].map((user) => {
    const address = new URL(server.url);
    [address.username, address.password] = [user, CANARY.password];
    return address.href;
  });
  const unknown = new URL(addresses[0] ?? "");
  unknown.hostname = "nowhere.invalid";
  for (const connectionString of [...addresses, unknown.href]) {
    const scene = client(t, server, { connectionString });
    await leaks.failure("a start", () => scene.client.start());
    await leaks.failure("an insertion", () => scene.client.insert(task, SECRET_ARGS, SECRET_OPTIONS));
    await leaks.failure("a migration", () => createMigrator({ pool: server.pool({ connectionString }) }).migrateUp());
    for (const command of ["migrate-up", "migrate-list", "validate"]) await cliFails(leaks, command, connectionString);
    await lookAtClient(leaks, scene);
  }
  const elsewhere = new PgDriver(server.pool(), { schema: "no such schema" });
  const scene = openScene(t, { ...postgresDatabase(server), driver: elsewhere });
  await leaks.failure("a start in no schema", () => scene.client.start());
  await leaks.failure("an insertion into no schema", () => scene.client.insert(task, SECRET_ARGS, SECRET_OPTIONS));
  await leaks.failure("a migration in no schema", () => createMigrator(elsewhere).migrateUp());
  await brokenMigrations(leaks, server);
  leaks.assertNone();
});

function cliFails(leaks: Leaks, command: string, url: string, ...flags: string[]): Promise<void> {
  return failCommand(leaks, `riverqueue ${command}`, [command, "--database-url", url, "--verbose", ...flags]);
}

/** Migrations of an application whose SQL is wrong, or is refused by a trigger. */
async function brokenMigrations(leaks: Leaks, server: OwnServer): Promise<void> {
  for (const upSql of [
    `SELECT '${CANARY.sql}' FROM`,
    `INSERT INTO ${CANARY.sql} VALUES (1)`,
    `SELECT 1 / 0 AS ${CANARY.sql}`,
  ]) {
    const migrations = [{ version: 1, name: "broken", upSql, downSql: upSql }];
    const migrator = createMigrator({ pool: server.pool() }, { line: "own", migrations });
    const error = await leaks.failure("a broken migration", () => migrator.migrateUp());
    assert.equal((error as { code?: unknown }).code, "migration");
  }
  await server.query(REFUSING);
  await server.query(
    "CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON river_migration FOR EACH ROW EXECUTE FUNCTION refuse()",
  );
  await leaks.failure("a migration under a trigger", () =>
    createMigrator({ pool: server.pool() }).migrateDown({ maxSteps: 1 }),
  );
  await cliFails(leaks, "migrate-down", server.url, "--max-steps", "1");
  await cliFails(leaks, "migrate-up", server.url, "--schema", "no such schema");
}
