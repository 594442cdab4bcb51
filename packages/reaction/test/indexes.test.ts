// What is asked for again and again finds its rows by an index, however many old ones there are.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { type SqlDatabase, SqlReactionStore, type SqlStatement } from "@riverqueue/reaction/home";

failOnLeaks();

const DAY_MS = 86_400_000;
/** As a sweep has it where nothing else is said: keys are kept for ever. */
const RETENTION = { contentAfterMs: 90 * DAY_MS, keysAfterMs: null, alertsAfterMs: 90 * DAY_MS, limit: 100 };
const EMPTIED = 20_000;
const COLUMNS = `id, type, idempotency_key, version, payload, payload_hash, status, open_commands, occurred_at, created_at,
  finished_at`;

/** An emptied event, or one that still has its payload; `n` is SQL. */
const row = (n: string, payload: string): string =>
  `'e' || ${n}, 'order.paid', 'k' || ${n}, 1, ${payload}, 'h', 'completed', 0, 1, 1, ${n}`;

/** Keeps what the store runs, and hands it to `answer`. */
function recorded(
  dialect: SqlDatabase["dialect"],
  answer: (statement: SqlStatement) => Promise<Record<string, unknown>[]>,
) {
  const statements: SqlStatement[] = [];
  const database: SqlDatabase<never> = {
    dialect,
    sendsInTransaction: false,
    tableName: (table) => table,
    async run(batch) {
      const results = [];
      for (const statement of batch) {
        statements.push(statement);
        results.push(await answer(statement));
      }
      return results;
    },
  };
  return { store: new SqlReactionStore(database), statements };
}

/** A store with many old events on SQLite, which collects no statistics, as on D1, and what its queries go by. */
async function openSqlite(t: TestContext) {
  const lease = await leaseSqliteDatabase(t);
  const database = lease.open();
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  const counted = `with recursive c (n) as (select 1 union all select n + 1 from c where n < ${EMPTIED})`;
  database.exec(`insert into river_reaction_event (${COLUMNS}) ${counted} select ${row("n", "null")} from c`);
  database.exec(`insert into river_reaction_event (${COLUMNS}) select ${row(String(EMPTIED + 1), "'{}'")}`);
  const { store, statements } = recorded("sqlite", ({ text, values }) =>
    Promise.resolve(database.prepare(text).all(...values)),
  );
  const plan = ({ text, values }: SqlStatement): string[] =>
    database
      .prepare(`explain query plan ${text}`)
      .all(...values)
      .map(({ detail }) => String(detail))
      .filter((detail) => /^(?:SEARCH|SCAN) [et]\b/.test(detail));
  return { store, plans: () => Promise.resolve(statements.splice(0).map((statement) => plan(statement).join("\n"))) };
}

/** The same on Postgres. */
async function openPostgres(t: TestContext) {
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool();
  await createMigrator({ pool }, { line: "reaction" }).migrateUp();
  const emptied = `select ${row("n", "null")} from generate_series(1, ${EMPTIED}) as n`;
  await lease.query(`insert into river_reaction_event (${COLUMNS}) ${emptied}`);
  await lease.query(`insert into river_reaction_event (${COLUMNS}) select ${row(String(EMPTIED + 1), "'{}'")}`);
  await lease.query("analyze river_reaction_event");
  const { store, statements } = recorded("postgres", ({ text, values }) => lease.query(text, values));
  const plans = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const { text, values } of statements.splice(0)) {
      const lines = await lease.query(`explain ${text}`, values);
      found.push(lines.map((line) => String(line["QUERY PLAN"])).join("\n"));
    }
    return found;
  };
  return { store, plans };
}

test("a sweep reads no event whose content is gone already, on SQLite and D1", async (t) => {
  const { store, plans } = await openSqlite(t);
  assert.equal(await store.applyRetention(RETENTION), 1);
  const search = "SEARCH e USING INDEX river_reaction_event_content (finished_at<?)";
  assert.deepEqual((await plans()).slice(0, 2), [search, search]);
  await store.applyRetention({ ...RETENTION, keysAfterMs: RETENTION.contentAfterMs });
  for (const plan of (await plans()).slice(-3)) {
    assert.match(plan, /^SEARCH e USING INDEX river_reaction_event_finished \(finished_at<\?\)$/m);
  }
});

postgresTest("a sweep reads no event whose content is gone already, on Postgres", async (t) => {
  const { store, plans } = await openPostgres(t);
  assert.equal(await store.applyRetention(RETENTION), 1);
  for (const plan of (await plans()).slice(0, 2)) {
    assert.match(plan, /Index Scan using river_reaction_event_content on river_reaction_event e/);
  }
  await store.applyRetention({ ...RETENTION, keysAfterMs: RETENTION.contentAfterMs });
  for (const plan of (await plans()).slice(-3)) {
    assert.match(plan, /Index Scan using river_reaction_event_finished on river_reaction_event e/);
  }
});

test("events and commands of a key are found by it, on SQLite and D1", async (t) => {
  const { store, plans } = await openSqlite(t);
  assert.equal((await store.listEvents({ idempotencyKey: "k7" })).items.length, 1);
  await store.listCommands({ idempotencyKey: "k7" });
  const [events, commands = ""] = await plans();
  assert.equal(events, "SEARCH t USING INDEX sqlite_autoindex_river_reaction_event_2 (idempotency_key=?)");
  assert.match(commands, /^SEARCH e USING .*\(idempotency_key=\?\)\nSEARCH t USING INDEX .*\(event_id=\?\)$/);
});

postgresTest("events and commands of a key are found by it, on Postgres", async (t) => {
  const { store, plans } = await openPostgres(t);
  assert.equal((await store.listEvents({ idempotencyKey: "k7" })).items.length, 1);
  await store.listCommands({ idempotencyKey: "k7" });
  for (const plan of await plans()) assert.match(plan, /Index Scan using river_reaction_event_identity/);
});
