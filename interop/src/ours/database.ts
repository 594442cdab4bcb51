/** What differs between the two kinds of databases, for this repository's peer. */
import { DatabaseSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { pollUntil } from "@riverqueue/internal-test-kit";
import { createMigrator, type Migrator } from "@riverqueue/migrate";
import { Pool, type PoolClient } from "pg";
import type { RegisteredTransaction } from "riverqueue";

const SQLITE_BUSY = 5;

/** A transaction of an application, and how it ends. */
export interface OpenTransaction {
  readonly tx: RegisteredTransaction;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** A database to make clients on. */
export interface PeerDatabase {
  readonly driver: PgDriver | SqliteDriver;
  readonly migrator: Migrator;
  begin(): Promise<OpenTransaction>;
  close(): Promise<void>;
}

/** Connects to a Postgres database by its address, or to a SQLite file by its path. */
export function openDatabase(backend: string, address: string): PeerDatabase {
  return backend === "postgres" ? openPostgres(address) : openSqlite(address);
}

function openPostgres(connectionString: string): PeerDatabase {
  const pool = new Pool({ connectionString });
  pool.on("error", () => {});
  const driver = new PgDriver(pool);
  return {
    driver,
    migrator: createMigrator({ pool }),
    async begin() {
      const client = await pool.connect();
      await client.query("BEGIN");
      return {
        tx: client,
        commit: () => finish(client, "COMMIT"),
        rollback: () => finish(client, "ROLLBACK"),
      };
    },
    close: () => pool.end(),
  };
}

async function finish(client: PoolClient, statement: string): Promise<void> {
  await client.query(statement);
  client.release();
}

/** Waiting for the lock inside of SQLite would stop this process, and with it whoever has the lock here. */
function takesLock(handle: DatabaseSync): boolean {
  try {
    handle.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

function openSqlite(path: string): PeerDatabase {
  const named = new DatabaseSync(path, { timeout: 5_000 });
  const driver = new SqliteDriver(named);
  return {
    driver,
    migrator: createMigrator({ database: named }),
    async begin() {
      const handle = driver.connect();
      await pollUntil(() => takesLock(handle), { deadlineMs: 10_000 });
      const end = async (statement: string): Promise<void> => {
        handle.exec(statement);
        handle.close();
      };
      return { tx: handle, commit: () => end("COMMIT"), rollback: () => end("ROLLBACK") };
    },
    async close() {
      driver.close();
      named.close();
    },
  };
}
