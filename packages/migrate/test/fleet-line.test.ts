/** The tables of the line `fleet`, and what its view makes of them. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { describeSqliteSchema } from "./testdata/describe-sqlite-schema.ts";
import { POSTGRES_FLEET, SQLITE_FLEET } from "./testdata/fleet-schema.data.ts";
import { openDatabase } from "./testdata/open-database.ts";
import { openPostgresDatabase } from "./testdata/open-postgres-database.ts";

failOnLeaks();

/** The objects that were not there `before`. */
function added(before: object, after: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(after).filter(([name]) => !(name in before)));
}

test("the fleet's objects on SQLite, up, down and up again", async (t) => {
  const database = openDatabase(t);
  await createMigrator({ database }).migrateUp();
  const main = describeSqliteSchema(database);
  const fleet = createMigrator({ database }, { line: "fleet" });
  await fleet.migrateUp();
  assert.deepEqual(added(main, describeSqliteSchema(database)), SQLITE_FLEET);
  await fleet.migrateDown();
  assert.deepEqual(describeSqliteSchema(database), main);
  await fleet.migrateUp();
  assert.deepEqual(added(main, describeSqliteSchema(database)), SQLITE_FLEET);
});

postgresTest("the fleet's objects on Postgres, up, down and up again, in public and in another schema", async (t) => {
  const database = await openPostgresDatabase(t);
  await database.query('create schema "a""b"');
  for (const schema of ["public", 'a"b']) {
    const source = { pool: database.pool(), schema };
    await createMigrator(source).migrateUp();
    const main = await database.describe(schema);
    const fleet = createMigrator(source, { line: "fleet" });
    await fleet.migrateUp();
    assert.deepEqual(added(main, await database.describe(schema)), POSTGRES_FLEET);
    await fleet.migrateDown();
    assert.deepEqual(await database.describe(schema), main);
    await fleet.migrateUp();
    assert.deepEqual(added(main, await database.describe(schema)), POSTGRES_FLEET);
  }
});

/** Minutes ago, queue, kind, and counts of some buckets. */
type Minute = readonly [ago: number, queue: string, kind: string, latency: Readonly<Record<string, number>>];

const MINUTES: readonly Minute[] = [
  // 90 of 100 within 10 ms, 5 more within a second, the rest later.
  [0, "mixed", "a", { "10ms": 50, "1s": 5 }],
  [1, "mixed", "b", { "10ms": 40, "5m": 4 }],
  [14, "mixed", "a", { more: 1 }],
  [0, "slow", "a", { "1h": 1, more: 3 }],
  [2, "quick", "a", { "10ms": 1 }],
  [0, "idle", "a", {}],
  [17, "past", "a", { "10ms": 9 }],
];

const LATENCIES = [
  { queue: "mixed", started: 100, p50_ms: 10, p95_ms: 1_000, p99_ms: 300_000 },
  { queue: "quick", started: 1, p50_ms: 10, p95_ms: 10, p99_ms: 10 },
  { queue: "slow", started: 4, p50_ms: null, p95_ms: null, p99_ms: null },
];

function insertMinutes(minuteAgo: (minutes: number) => string): string {
  return MINUTES.map(([ago, queue, kind, latency]) => {
    const columns = ["minute", "queue", "kind", ...Object.keys(latency).map((bucket) => `latency_${bucket}`)];
    const values = [minuteAgo(ago), `'${queue}'`, `'${kind}'`, ...Object.values(latency)];
    return `insert into river_fleet_minute (${columns.join(", ")}) values (${values.join(", ")});`;
  }).join("\n");
}

const SELECT_LATENCIES = "select * from river_fleet_queue_latency order by queue";

test("on SQLite the view has the ends of the buckets that half, 95 and 99 per cent are in, of the last 15 minutes", async (t) => {
  const database = openDatabase(t);
  await createMigrator({ database }).migrateUp();
  await createMigrator({ database }, { line: "fleet" }).migrateUp();
  database.exec(insertMinutes((minutes) => `strftime('%Y-%m-%d %H:%M:00.000', 'now', '-${minutes} minutes')`));
  assert.deepEqual(
    database
      .prepare(SELECT_LATENCIES)
      .all()
      .map((row) => ({ ...row })),
    LATENCIES,
  );
});

postgresTest("on Postgres it has the same", async (t) => {
  const database = await openPostgresDatabase(t);
  const pool = database.pool();
  await createMigrator({ pool }).migrateUp();
  await createMigrator({ pool }, { line: "fleet" }).migrateUp();
  const client = await database.connect();
  await client.query(insertMinutes((minutes) => `date_trunc('minute', now()) - interval '${minutes} minutes'`));
  const rows = await database.query(SELECT_LATENCIES);
  assert.deepEqual(
    rows.map((row) => ({ ...row, started: Number(row["started"]) })),
    LATENCIES,
  );
});
