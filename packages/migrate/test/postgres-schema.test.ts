import assert from "node:assert/strict";
import { once } from "node:events";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator, type MigrateResult, type Migration, type Migrator } from "@riverqueue/migrate";
import { openPostgresDatabase, type PostgresDatabase } from "./testdata/open-postgres-database.ts";
import { POSTGRES_SCHEMAS, type PostgresState } from "./testdata/postgres-schema.data.ts";

failOnLeaks();

const upwards = ["1", "2", "3", "4", "5", "6", "7", "8"] as const;
const downwards = ["7", "6", "5", "4", "3 from 8", "2 from 8", "1"] as const;

for (const state of upwards) {
  postgresTest(`Postgres version ${state} reached from nothing has River for Go's objects`, async (t) => {
    const database = await openPostgresDatabase(t);
    await createMigrator({ pool: database.pool() }).migrateUp({ targetVersion: Number(state) });
    assert.deepEqual(await database.describe(), POSTGRES_SCHEMAS[state]);
  });
}

/** Goes up, down to nothing and up again, one version at a time, and compares each. */
async function walk(database: PostgresDatabase, migrator: Migrator, schema: string): Promise<void> {
  const check = async (state: PostgresState): Promise<void> => {
    assert.deepEqual(await database.describe(schema), POSTGRES_SCHEMAS[state], state);
    const applied = Array.from({ length: Number.parseInt(state, 10) }, (_, index) => index + 1);
    assert.deepEqual(await migrator.existingVersions(), applied);
  };
  const climb = async (): Promise<void> => {
    for (const state of upwards) {
      await migrator.migrateUp({ maxSteps: 1 });
      await check(state);
    }
  };
  await climb();
  for (const state of downwards) {
    await migrator.migrateDown();
    await check(state);
  }
  await migrator.migrateDown();
  assert.deepEqual(await database.describe(schema), {});
  await climb();
}

postgresTest("each Postgres version reached step by step, up and down and up again, has them too", async (t) => {
  const database = await openPostgresDatabase(t);
  await walk(database, createMigrator({ client: await database.connect() }), "public");
});

postgresTest("a schema whose name needs quoting gets the same objects, and public gets none", async (t) => {
  const database = await openPostgresDatabase(t);
  const schema = 'a"b';
  await database.query('create schema "a""b"');
  await walk(database, createMigrator({ pool: database.pool(), schema }), schema);
  assert.deepEqual(await database.describe(), {});
});

postgresTest("new jobs are announced by the table itself up to version 3, whatever the schema's name", async (t) => {
  const database = await openPostgresDatabase(t);
  await database.query('create schema "a""b"');
  const migrator = createMigrator({ pool: database.pool(), schema: 'a"b' });
  const listener = await database.connect();
  await listener.query("listen river_insert");
  const insert = (queue: string): Promise<unknown> =>
    database.query(`insert into "a""b".river_job (kind, max_attempts, queue, args) values ('k', 1, $1, '{}')`, [queue]);
  const announced = async (): Promise<unknown> => {
    const [notice] = (await once(listener, "notification")) as [{ payload?: string }];
    return JSON.parse(notice.payload ?? "null");
  };

  await migrator.migrateUp({ targetVersion: 3 });
  const first = announced();
  await insert("q");
  assert.deepEqual(await first, { queue: "q" });
  await migrator.migrateUp();
  const second = announced();
  await insert("quiet");
  await migrator.migrateDown({ targetVersion: 3 });
  await insert("again");
  assert.deepEqual(await second, { queue: "again" });
});

postgresTest("ginIndexes: false leaves out exactly the two GIN indexes", async (t) => {
  const database = await openPostgresDatabase(t);
  const migrator = createMigrator({ pool: database.pool() }, { ginIndexes: false });
  const gin = ["index river_job_args_index: gin (args)", "index river_job_metadata_index: gin (metadata)"];
  const check = async (state: PostgresState): Promise<void> => {
    const whole = POSTGRES_SCHEMAS[state];
    const jobs = whole["table river_job"] ?? [];
    const without = jobs.filter((line) => !gin.includes(line));
    assert.equal(jobs.length - without.length, 2);
    assert.deepEqual(await database.describe(), { ...whole, "table river_job": without });
  };
  await migrator.migrateUp();
  await check("8");
  await migrator.migrateDown({ targetVersion: 2 });
  await check("2 from 8");
  await migrator.migrateDown({ targetVersion: -1 });
  assert.deepEqual(await database.describe(), {});
});

postgresTest(
  "four connections migrate one database at once: all succeed and each version is applied once",
  async (t) => {
    const database = await openPostgresDatabase(t);
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
    const migrators = clients.map((client) => createMigrator({ client }));
    const ups = await Promise.all(migrators.map((migrator) => migrator.migrateUp()));
    assert.deepEqual(
      ups.flatMap(({ versions }) => versions.map(({ version }) => version)).toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(await database.describe(), POSTGRES_SCHEMAS["8"]);

    const downs = await Promise.all(migrators.map((migrator) => migrator.migrateDown({ targetVersion: 0 })));
    assert.deepEqual(
      downs.flatMap(({ versions }) => versions.map(({ version }) => version)).toSorted((a, b) => b - a),
      [8, 7, 6, 5, 4, 3, 2, 1],
    );
    assert.deepEqual(await database.describe(), {});
  },
);

/** The versions of a dry run, which takes no time. */
function toldVersions({ versions }: MigrateResult): number[] {
  for (const { duration } of versions) assert.ok(duration.blank);
  return versions.map(({ version }) => version);
}

postgresTest("a dry run on Postgres tells the versions and changes nothing", async (t) => {
  const database = await openPostgresDatabase(t);
  const migrator = createMigrator({ pool: database.pool() });
  assert.deepEqual(toldVersions(await migrator.migrateUp({ dryRun: true })), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(toldVersions(await migrator.migrateDown({ dryRun: true })), []);
  assert.deepEqual(await database.describe(), {});

  await migrator.migrateUp({ targetVersion: 5 });
  assert.deepEqual(toldVersions(await migrator.migrateUp({ dryRun: true })), [6, 7, 8]);
  assert.deepEqual(toldVersions(await migrator.migrateDown({ dryRun: true, targetVersion: -1 })), [5, 4, 3, 2, 1]);
  assert.deepEqual(await database.describe(), POSTGRES_SCHEMAS["5"]);
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5]);
});

postgresTest("main does not go below version 5 on Postgres while another line has versions applied", async (t) => {
  const database = await openPostgresDatabase(t);
  const pool = database.pool();
  const main = createMigrator({ pool });
  const migrations: Migration[] = [{ version: 1, name: "one", upSql: "select 1;", downSql: "select 1;" }];
  const extra = createMigrator({ pool }, { line: "extra", migrations });
  await main.migrateUp({ targetVersion: 4 });
  await assert.rejects(extra.migrateUp(), { name: "MigrationError", message: /version 5 or later first$/ });
  await main.migrateUp();
  await extra.migrateUp();

  for (const options of [{ targetVersion: 4 }, { targetVersion: -1 }, { maxSteps: 4 }]) {
    await assert.rejects(main.migrateDown(options), {
      name: "MigrationError",
      operation: "migrateDown",
      message: /cannot go below version 5 while other lines have versions applied: "extra"/,
    });
  }
  assert.deepEqual(await main.existingVersions(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(await database.describe(), POSTGRES_SCHEMAS["8"]);
  assert.equal((await main.migrateDown({ targetVersion: 5 })).versions.length, 3, "5 itself may stay");
  assert.deepEqual(await extra.existingVersions(), [1]);
  await extra.migrateDown();
  assert.equal((await main.migrateDown({ targetVersion: 0 })).versions.length, 5);
});

/** A job with every column of version 2 set, and one with those only that must be. */
const FILL_VERSION_2 = `
insert into river_job (
  id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority,
  queue, state, scheduled_at, tags
) values (
  9007199254740993, '{"n":12345678901234567890.123}', 3, '2026-01-01 00:00:01.000001Z', '{one,two}',
  '2026-01-01 00:00:00.5Z', array['{"attempt":1,"error":"e"}']::jsonb[], '2026-01-01 00:00:02Z', 'kind', 7,
  '{"output":null}', 2, 'q', 'discarded', '2025-12-31 23:59:59.999Z', '{tag_1}'
);
insert into river_job (id, args, kind, max_attempts, tags) values (41, '{}', 'bare', 25, null)`;

const COLUMNS_OF_VERSION_2 = `id, state, attempt, max_attempts, attempted_at, created_at, finalized_at, scheduled_at,
  priority, args, attempted_by, errors, kind, metadata, queue, tags`;

/** Both jobs as text, so that no digit is lost. */
async function readJobs(database: PostgresDatabase, columns = COLUMNS_OF_VERSION_2): Promise<unknown[]> {
  const rows = await database.query(`select row(${columns})::text as job from river_job order by id`);
  return rows.map(({ job }) => job);
}

postgresTest("rows survive all Postgres versions and the way back, and what was null becomes empty", async (t) => {
  const database = await openPostgresDatabase(t);
  const migrator = createMigrator({ pool: database.pool() });
  await migrator.migrateUp({ targetVersion: 2 });
  await database.query(FILL_VERSION_2);
  await database.query("update river_migration set created_at = '2026-01-01 00:00:00.000001Z' where version = 1");
  const [before] = (await readJobs(database)).slice(1);

  await migrator.migrateUp({ targetVersion: 3 });
  assert.deepEqual(plain(await database.query("select tags from river_job where id = 41")), [{ tags: [] }]);
  const jobs = await readJobs(database);
  assert.equal(jobs[1], before);

  await migrator.migrateUp({ targetVersion: 6 });
  await database.query(
    "update river_job set unique_key = '\\x00ff', unique_states = '11110101' where id = 9007199254740993",
  );
  await database.query(
    "insert into river_queue (name, metadata, paused_at, updated_at) values ('q', '{\"a\":1}', now(), now())",
  );
  const whole = `${COLUMNS_OF_VERSION_2}, unique_key, unique_states`;
  const unique = await readJobs(database, whole);
  const queues = await database.query("select row(river_queue.*)::text as queue from river_queue");
  for (const move of [() => migrator.migrateUp(), () => migrator.migrateDown({ targetVersion: 6 })]) {
    await move();
    assert.deepEqual(await readJobs(database, whole), unique);
    assert.deepEqual(await database.query("select row(river_queue.*)::text as queue from river_queue"), queues);
  }

  await migrator.migrateDown({ targetVersion: 2 });
  assert.deepEqual(await readJobs(database), jobs);
  await migrator.migrateUp();
  assert.deepEqual(await readJobs(database), jobs);
  assert.deepEqual(
    await database.query("select version::text from river_migration where created_at = '2026-01-01 00:00:00.000001Z'"),
    [{ version: "1" }],
    "when a version was applied is remembered by both forms of the records",
  );
});

postgresTest("each state has its bit in the states in which a job holds its unique key", async (t) => {
  const database = await openPostgresDatabase(t);
  await createMigrator({ pool: database.pool() }).migrateUp();
  const bits = await database.query(
    `select state::text, array_agg(set_bit(b'00000000', bit, 1)::text order by bit) as masks
    from unnest(enum_range(null::river_job_state)) state, generate_series(0, 7) bit
    where river_job_state_in_bitmask(set_bit(b'00000000', bit, 1), state)
    group by state order by state`,
  );
  assert.deepEqual(plain(bits), [
    { state: "available", masks: ["00000001"] },
    { state: "cancelled", masks: ["00000010"] },
    { state: "completed", masks: ["00000100"] },
    { state: "discarded", masks: ["00001000"] },
    { state: "pending", masks: ["00010000"] },
    { state: "retryable", masks: ["00100000"] },
    { state: "running", masks: ["01000000"] },
    { state: "scheduled", masks: ["10000000"] },
  ]);
});
