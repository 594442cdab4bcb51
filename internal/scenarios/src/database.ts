/** A leased database of either kind with its driver, and SQL beside the client: one face, so that a scenario runs on both. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import nodeTest, { type TestContext } from "node:test";
import { PgDriver, type PgDriverOptions } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { type LeasedSqliteDatabase, leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import {
  type LeasedPostgresDatabase,
  leasePostgresDatabase,
  postgresTest,
} from "@riverqueue/internal-test-kit/postgres-database";
import type { PoolConfig } from "pg";
import type { RegisteredTransaction } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";

/** A row by column name. */
export type Row = Record<string, unknown>;

/** A transaction of the application. */
export interface OwnTransaction {
  /** For the option `tx`. */
  readonly tx: RegisteredTransaction;
  query(text: string, ...values: readonly unknown[]): Promise<Row[]>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** See the file header. Statements use the placeholders `$1`, `$2`. */
export interface Database {
  readonly backend: "postgres" | "sqlite";
  readonly driver: RuntimeDriver<RegisteredTransaction>;
  query(text: string, ...values: readonly unknown[]): Promise<Row[]>;
  begin(): Promise<OwnTransaction>;
  /** The same database through connections of its own, as another process has it. */
  again(): Database;
}

/** Called after the test, before its database is closed: whatever works on it has to stop first. */
export function beforeClosing(t: TestContext, stop: () => Promise<void>): void {
  const own = stops.get(t);
  if (own === undefined) t.after(stop);
  else own.push(stop);
}

const stops = new WeakMap<TestContext, (() => Promise<void>)[]>();

/** Makes {@link beforeClosing} work for the databases that the test takes from now on. */
export function stopFirst(t: TestContext): void {
  const own: (() => Promise<void>)[] = [];
  stops.set(t, own);
  t.after(async () => {
    for (const stop of own) await stop();
  });
}

/** What scenarios on Postgres need of a database: a lease, or one on a server of their own. */
export type PostgresSource = Pick<LeasedPostgresDatabase, "connect" | "pool" | "query">;

/** Runs `body` once on each kind of database. */
export function onBothDatabases(title: string, body: (t: TestContext, database: Database) => Promise<void>): void {
  onPostgres(`${title} (Postgres)`, (t, lease) => body(t, postgresDatabase(lease)));
  void nodeTest(`${title} (SQLite)`, async (t) => {
    stopFirst(t);
    await body(t, await sqliteDatabase(t));
  });
}

/** Runs `body` on a leased database of Postgres. */
export function onPostgres(
  title: string,
  body: (t: TestContext, lease: LeasedPostgresDatabase) => Promise<void>,
): void {
  postgresTest(title, async (t) => {
    stopFirst(t);
    await body(t, await leasePostgresDatabase(t));
  });
}

/** A database of Postgres; `pool` configures the client's connections, `options` its driver. */
export function postgresDatabase(
  source: PostgresSource,
  pool: PoolConfig = {},
  options: PgDriverOptions = {},
): Database {
  return {
    backend: "postgres",
    driver: new PgDriver(source.pool(pool), options),
    query: (text, ...values) => source.query(text, values),
    async begin() {
      const client = await source.connect();
      await client.query("BEGIN");
      return {
        tx: client,
        query: async (text, ...values) => (await client.query<Row>(text, [...values])).rows,
        commit: async () => void (await client.query("COMMIT")),
        rollback: async () => void (await client.query("ROLLBACK")),
      };
    },
    again: () => postgresDatabase(source, pool, options),
  };
}

/** A new file of SQLite. Its driver is closed after the test. */
export async function sqliteDatabase(t: TestContext): Promise<Database> {
  return openSqlite(t, await leaseSqliteDatabase(t));
}

function openSqlite(t: TestContext, lease: LeasedSqliteDatabase): Database {
  const handle = lease.open({ timeout: 5_000 });
  const driver = new SqliteDriver(handle);
  t.after(() => driver.close());
  return {
    backend: "sqlite",
    driver,
    query: (text, ...values) => Promise.resolve(rowsOf(handle, text, values)),
    begin() {
      const own = lease.open({ timeout: 5_000 });
      own.exec("BEGIN IMMEDIATE");
      return Promise.resolve({
        tx: own,
        query: (text: string, ...values: readonly unknown[]) => Promise.resolve(rowsOf(own, text, values)),
        commit: () => Promise.resolve(own.exec("COMMIT")),
        rollback: () => Promise.resolve(own.exec("ROLLBACK")),
      });
    },
    again: () => openSqlite(t, lease),
  };
}

function rowsOf(handle: DatabaseSync, text: string, values: readonly unknown[]): Row[] {
  const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as SQLInputValue]));
  return handle.prepare(text).all(named);
}
