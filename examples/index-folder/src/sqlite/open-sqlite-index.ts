// The index on a SQLite file: opening it, recognising it, creating its tables.
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import type { RegisteredTransaction } from "riverqueue";
import { DemoProblem } from "../demo-problem.ts";
import type { FilesTable } from "../files-table.ts";
import type { IndexDatabase, OpenOptions } from "../index-database.ts";
import { takeRunLock } from "./run-lock.ts";
import { SingleWriter } from "./single-writer.ts";
import { SQLITE_TABLES, SqliteFilesTable } from "./sqlite-files-table.ts";

/** Written into the header of the file, so that nobody else's database is taken for ours: "rvix". */
const APPLICATION_ID = 0x72766978;

/** See `openIndexDatabase`. */
export async function openSqliteIndex(path: string, { onWait, signal }: OpenOptions): Promise<IndexDatabase | null> {
  await using opened = new AsyncDisposableStack();
  const lock = await takeRunLock(path, onWait, signal);
  if (lock === null) return null;
  opened.use(lock);
  const database = opened.use(openOurs(path));
  await createMigrator({ database }).migrateUp();
  const reader = opened.use(new DatabaseSync(path, { readOnly: true }));
  const driver = opened.use(new SqliteDriver(database));
  return new SqliteIndex(path, driver, database, reader, opened.move());
}

class SqliteIndex implements IndexDatabase {
  readonly driver: SqliteDriver;
  readonly files: FilesTable;
  /** Those that SQLite keeps for a database. */
  readonly ownFiles: readonly string[];
  readonly #writer: SingleWriter;
  readonly #resources: AsyncDisposable;

  constructor(
    path: string,
    driver: SqliteDriver,
    database: DatabaseSync,
    reader: DatabaseSync,
    resources: AsyncDisposable,
  ) {
    this.driver = driver;
    this.files = new SqliteFilesTable(reader);
    this.ownFiles = ["", "-journal", "-shm", "-wal"].map((suffix) => path + suffix);
    this.#writer = new SingleWriter(database);
    this.#resources = resources;
  }

  async write<Result>(callback: (tx: RegisteredTransaction, files: FilesTable) => Promise<Result>): Promise<Result> {
    return await this.#writer.write((tx) => callback(tx, new SqliteFilesTable(tx)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}

function openOurs(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 5000 });
    if (!isNew(database) && applicationId(database) !== APPLICATION_ID) {
      throw new DemoProblem(`${path} is a database of something else; move it away, or run this in another folder`);
    }
    // Both or none: a file with one of them would not be recognised.
    database.exec(`begin immediate; pragma application_id = ${APPLICATION_ID}; ${SQLITE_TABLES} commit;`);
    // A killed process loses nothing by this. A power failure may lose the last transactions as a whole, jobs and results
    // together, and they are done again.
    database.exec("pragma synchronous = normal");
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof DemoProblem) throw error;
    throw new DemoProblem(`cannot use ${path} as the database: ${(error as Error).message}`);
  }
}

function isNew(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema").get() === undefined;
}

function applicationId(database: DatabaseSync): unknown {
  return database.prepare("pragma application_id").get()?.["application_id"];
}
