// The database of the index: what the program needs of it, and how it is opened. SQLite and Postgres each have a folder,
// of which only the one that is asked for is loaded.
import type { RegisteredTransaction } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";
import type { DatabaseAddress } from "./database-address.ts";
import type { FilesTable } from "./files-table.ts";

/** An open database, with its tables up to date and no other run working on it. */
export interface IndexDatabase extends AsyncDisposable {
  /** River's driver on it. */
  readonly driver: RuntimeDriver<RegisteredTransaction>;
  /** Sees committed rows only. */
  readonly files: FilesTable;
  /** Files in which the database lies, which are not indexed. */
  readonly ownFiles: readonly string[];
  /**
   * Runs a transaction: committed when the callback resolves, rolled back when it rejects. The callback does nothing slow,
   * because others may have to wait for it.
   *
   * @returns what the callback returns.
   */
  write<Result>(callback: (tx: RegisteredTransaction, files: FilesTable) => Promise<Result>): Promise<Result>;
}

/** Options of {@link openIndexDatabase}. */
export interface OpenOptions {
  /** Called once, when there is another run to wait for. */
  readonly onWait: () => void;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Told when the database goes away while nobody asks it anything. */
  readonly onLost: (error: Error) => void;
}

/**
 * Waits until no other run works on the database, opens it, and brings its tables up to date, River's included.
 *
 * @returns null when the waiting was ended.
 * @throws DemoProblem when the database cannot be used.
 */
export async function openIndexDatabase(address: DatabaseAddress, options: OpenOptions): Promise<IndexDatabase | null> {
  if (address.backend === "sqlite") {
    const { openSqliteIndex } = await import("./sqlite/open-sqlite-index.ts");
    return await openSqliteIndex(address.path, options);
  }
  const { openPostgresIndex } = await import("./postgres/open-postgres-index.ts");
  return await openPostgresIndex(address, options);
}
