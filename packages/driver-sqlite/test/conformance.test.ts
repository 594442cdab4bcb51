/** The conformance suite on SQLite. */
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import {
  conform,
  type Damage,
  type DriverUnderTest,
  type OpenTransaction,
  type QueueDamage,
  type RawDatabase,
  type UnusableHandle,
} from "@riverqueue/internal-driver-conformance";
import { failOnLeaks, type LeasedSqliteDatabase } from "@riverqueue/internal-test-kit";
import { driverFixture } from "./fixture/driver-fixture.ts";

failOnLeaks();

conform({ name: "SQLite", missing: false, skips: {}, open });

async function open(t: TestContext): Promise<DriverUnderTest> {
  const { driver, lease } = await driverFixture(t);
  return {
    driver,
    raw: rawDatabase(lease.open()),
    begin: () => begin(lease),
    // Nobody can block a reader; but one that may take no time at all ends when it looks at the clock.
    blockReads: () => Promise.resolve({ timeoutMs: 0, release: () => Promise.resolve() }),
    openStranger: async () => (await driverFixture(t)).driver,
    unusableHandles: () => Promise.resolve(unusableHandles(t, lease)),
  };
}

function rawDatabase(database: DatabaseSync): RawDatabase {
  return {
    query: async (sql) => database.prepare(sql).all(),
    time: (instant) => literal(instant.toString({ smallestUnit: "millisecond" }).replace("T", " ").replace("Z", "")),
    json: (text) => `jsonb(${literal(text)})`,
    texts: (values) => `jsonb(${literal(JSON.stringify(values))})`,
    placeholder: () => "?",
    bytesType: "BLOB",
    damages: damages(),
    queueDamages: queueDamages(),
    refuse: async (table, event, condition) =>
      database.exec(`CREATE TRIGGER app_refuse BEFORE ${event} ON ${table} WHEN ${condition}
        BEGIN SELECT RAISE(ABORT, 'refused'); END`),
  };
}

async function begin(lease: LeasedSqliteDatabase): Promise<OpenTransaction> {
  const database = lease.open();
  database.exec("BEGIN");
  return {
    scope: { owner: "caller", tx: database },
    lockRows: async (table, condition) => database.exec(`UPDATE ${table} SET rowid = rowid WHERE ${condition}`),
    commit: async () => database.exec("COMMIT"),
    rollback: async () => database.exec("ROLLBACK"),
  };
}

function unusableHandles(t: TestContext, lease: LeasedSqliteDatabase): UnusableHandle[] {
  const closed = lease.open();
  closed.close();
  const stranger = new DatabaseSync(":memory:");
  stranger.exec("BEGIN");
  t.after(() => stranger.close());
  return [
    { what: "a handle without a transaction", tx: lease.open(), code: "transaction_scope" },
    { what: "a closed handle", tx: closed, code: "transaction_scope" },
    { what: "a transaction on another database", tx: stranger, code: "backend_mismatch" },
    { what: "an object of another kind", tx: { query: () => undefined }, code: "backend_mismatch" },
  ];
}

function damages(): Damage[] {
  const columns = ["args", "attempted_by", "errors", "metadata", "tags"] as const;
  const values = { text: "'garbage'", bytes: "x'ff00ff'", "a number": "5", "JSON text": "jsonb('\"text\"')" };
  const json = columns.flatMap((column) =>
    Object.entries(values).map(([what, value]) => ({ column, what: `${column} holding ${what}`, value })),
  );
  const time = { column: "created_at", what: "created_at that is no time", value: "'soon'" } as const;
  return [...json, time];
}

function queueDamages(): QueueDamage[] {
  const values = { text: "'garbage'", bytes: "x'ff00ff'", "a number": "5", "JSON text": "jsonb('\"text\"')" };
  const metadata = Object.entries(values).map(([what, value]) => {
    return { column: "metadata", what: `metadata holding ${what}`, value } as const;
  });
  const times = (["created_at", "updated_at", "paused_at"] as const).map((column) => {
    return { column, what: `${column} that is no time`, value: "'soon'" };
  });
  return [...metadata, ...times];
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
