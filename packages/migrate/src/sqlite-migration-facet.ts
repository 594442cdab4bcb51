/** Migrations on a SQLite handle of the application. */
import type { DatabaseSync } from "node:sqlite";
import { DatabaseOperationError, type MigrationFacet, type MigrationSession } from "riverqueue/driver";
import { MigrationProblem } from "./migration-problem.ts";

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** The last session of each handle; the next one on that handle waits for it. */
const sessions = new WeakMap<DatabaseSync, Promise<unknown>>();

/** Sessions on `database`, one after another. Sessions on other handles meet at the lock of the database. */
export function sqliteMigrationFacet(database: DatabaseSync): MigrationFacet {
  const session = new HandleSession(database);
  return {
    backend: "sqlite",
    schema: null,
    withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
      const run = (): Promise<T> => {
        if (!database.isOpen) throw new MigrationProblem("the database handle is closed");
        if (database.isTransaction) throw new MigrationProblem("the database handle has a transaction open");
        return body(session);
      };
      const result = (sessions.get(database) ?? Promise.resolve()).then(run);
      sessions.set(
        database,
        result.catch(() => {}),
      );
      return result;
    },
  };
}

/**
 * Everything runs at once, so that between two statements of a transaction no timer or I/O callback of the application
 * gets at the handle. The busy timeout of the handle, which blocks the event loop, is off for each statement.
 */
class HandleSession implements MigrationSession {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  execute(sql: string): Promise<void> {
    return this.#attempt(() => this.#database.exec(sql));
  }

  query(sql: string, values: readonly (string | number | bigint | null)[] = []): Promise<Record<string, unknown>[]> {
    return this.#attempt(() => this.#all(sql, values));
  }

  #all(sql: string, values: readonly (string | number | bigint | null)[]): Record<string, unknown>[] {
    const statement = this.#database.prepare(sql);
    // The handle's own defaults may be others.
    statement.setReturnArrays(false);
    statement.setReadBigInts(false);
    return statement.all(...values);
  }

  async #attempt<T>(statement: () => T): Promise<T> {
    try {
      const timeout = this.#busyTimeout();
      if (timeout === 0) return statement();
      this.#database.exec("pragma busy_timeout = 0");
      try {
        return statement();
      } finally {
        this.#database.exec(`pragma busy_timeout = ${timeout}`);
      }
    } catch (error) {
      throw describe(error);
    }
  }

  #busyTimeout(): number {
    return Number(this.#all("pragma busy_timeout", [])[0]?.["timeout"]);
  }
}

/** The result code with SQLite's fixed words for it, and the constraint if one was violated: all of it without SQL. */
function describe(thrown: unknown): DatabaseOperationError {
  const { errcode, errstr, message } = thrown as { errcode?: unknown; errstr?: unknown; message?: unknown };
  const constraint = /^\w[\w ]* constraint failed: ([\w.]+)$/.exec(String(message))?.[1];
  const code = typeof errcode === "number" ? errcode & 0xff : null;
  const words = code === null ? "error" : `error ${code} (${String(errstr)})`;
  return new DatabaseOperationError(`SQLite ${words}${constraint === undefined ? "" : `, constraint ${constraint}`}`, {
    backend: "sqlite",
    operation: "migrate",
    cause: { ...(thrown as object), code: (thrown as { code?: unknown }).code, constraint },
    retryable: code === SQLITE_BUSY || code === SQLITE_LOCKED,
  });
}
