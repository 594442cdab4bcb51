// The database of the index: opening it, recognising it, creating its tables.
import { DatabaseSync } from "node:sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { DemoProblem } from "./demo-problem.ts";

/** Written into the header of the file, so that nobody else's database is taken for ours: "rvix". */
const APPLICATION_ID = 0x72766978;

// `path` is text, or bytes when it is not UTF-8. `job_id` is the job that has the file now: results of any other are not
// taken. `indexed_count` grows in the transaction that completes a job, so it tells how often the file was indexed.
const TABLES = `
  create table if not exists files (
    id integer primary key,
    path any not null unique,
    size integer not null,
    modified_at text not null,
    job_id integer,
    lines integer,
    sha256 text,
    compression_ratio real,
    indexed_at text,
    indexed_count integer not null default 0
  ) strict;
  create index if not exists files_by_job on files (job_id);
  create index if not exists files_not_indexed on files (id) where indexed_at is null;
`;

/**
 * Opens the index and brings its tables up to date, River's included.
 *
 * @throws DemoProblem when the file cannot be opened, or is something else.
 */
export async function openIndexDatabase(path: string): Promise<DatabaseSync> {
  const database = openOurs(path);
  try {
    await createMigrator({ database }).migrateUp();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The files that SQLite keeps for a database. */
export function ownFiles(databasePath: string): string[] {
  return ["", "-journal", "-shm", "-wal"].map((suffix) => databasePath + suffix);
}

function openOurs(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 5000 });
    if (!isNew(database) && applicationId(database) !== APPLICATION_ID) {
      throw new DemoProblem(`${path} is a database of something else; move it away, or run this in another folder`);
    }
    // Both or none: a file with one of them would not be recognised.
    database.exec(`begin immediate; pragma application_id = ${APPLICATION_ID}; ${TABLES} commit;`);
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
