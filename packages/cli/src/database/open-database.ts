/** What it takes to open the database of a command, and what comes of it. */
import type { MigratorSource } from "@riverqueue/migrate";
import type { Report } from "../report/report.ts";

/** How a database is to be opened. */
export interface OpenDatabaseOptions {
  readonly schema: string | undefined;
  /** In milliseconds; undefined where the URL or the default decides. */
  readonly statementTimeout: number | undefined;
  /** Whether a SQLite file that does not exist is made. */
  readonly mayCreate: boolean;
  readonly report: Report;
}

/** An open database. */
export interface OpenDatabase {
  readonly source: MigratorSource;
  close(): Promise<void> | void;
}
