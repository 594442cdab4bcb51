/** Databases for the measurements of Reaction, and a count of the statements that are sent to them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import type { RuntimeDriver } from "@riverqueue/reaction/embedded";
import { Client, Pool } from "pg";
import { openOwnPostgres } from "./own-postgres.ts";

/** What a measurement works on. */
export interface BenchDatabase {
  readonly driver: RuntimeDriver<never>;
  /** Runs `body` in a transaction of its own. */
  inTransaction(body: (tx: never) => Promise<unknown>): Promise<void>;
  /** The one number that a query yields. */
  number(text: string): Promise<number>;
  /** Empties River's and Reaction's tables. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const TABLES = ["river_job", "river_queue", "river_reaction_event", "river_reaction_command"];
const POOL_SIZE = 50;

let statements = 0;

/** Statements sent since the last call, begin and commit included. */
export function takeStatementCount(): number {
  const count = statements;
  statements = 0;
  return count;
}

function countCalls(prototype: object, ...names: readonly string[]): void {
  const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const method = methods[name];
    if (method === undefined) throw new Error(`there is no method ${name} to count`);
    methods[name] = function counted(this: unknown, ...args: unknown[]): unknown {
      statements++;
      return Reflect.apply(method, this, args);
    };
  }
}

/** A migrated database, `postgres` on the server of DATABASE_URL or on one that is started. */
export async function openBenchDatabase(backend: string): Promise<BenchDatabase> {
  return backend === "postgres" ? openPostgres() : openSqlite();
}

async function openPostgres(): Promise<BenchDatabase> {
  countCalls(Client.prototype, "query");
  const own = await openOwnPostgres();
  const pool = new Pool({ connectionString: own.url, max: POOL_SIZE });
  // The last connections are ended by the drop of their database.
  pool.on("error", () => {});
  for (const line of ["main", "reaction"] as const) await createMigrator({ pool }, { line }).migrateUp();
  return {
    driver: new PgDriver(pool),
    async inTransaction(body) {
      const client = await pool.connect();
      await client.query("begin");
      await body(client as never);
      await client.query("commit");
      client.release();
    },
    number: async (text) => Number(Object.values((await pool.query<Record<string, unknown>>(text)).rows[0] ?? {})[0]),
    clear: async () => void (await pool.query(`truncate ${TABLES.join(", ")}`)),
    async close() {
      await pool.end();
      await own.close();
    },
  };
}

async function openSqlite(): Promise<BenchDatabase> {
  countCalls(StatementSync.prototype, "run", "get", "all");
  countCalls(DatabaseSync.prototype, "exec");
  const folder = mkdtempSync(join(tmpdir(), "river-bench-"));
  const path = join(folder, "bench.db");
  const database = new DatabaseSync(path, { timeout: 10_000 });
  for (const line of ["main", "reaction"] as const) await createMigrator({ database }, { line }).migrateUp();
  const driver = new SqliteDriver(database);
  // The application's handle: one transaction after the other, as there is one writer anyway.
  const handle = driver.connect();
  let last: Promise<unknown> = Promise.resolve();
  return {
    driver,
    inTransaction(body) {
      const next = last.then(() => transaction(handle, (tx) => body(tx as never)));
      last = next;
      return next as Promise<never>;
    },
    number: async (text) => Number(Object.values(database.prepare(text).get() ?? {})[0]),
    clear: async () => TABLES.forEach((table) => database.exec(`delete from ${table}`)),
    async close() {
      handle.close();
      driver.close();
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
