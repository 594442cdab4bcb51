/** DDL for migrations, on a connection of its own. */
import type { DatabaseSync } from "node:sqlite";
import type { MigrationFacet, MigrationSession } from "riverqueue/driver";
import { BusyBackoff } from "../connection/busy-backoff.ts";
import { isBusy, translateFailure } from "../connection/sqlite-failure.ts";

const OPERATION = "migrations";

/** Migration verbs of the SQLite driver. */
export class SqliteMigrations implements MigrationFacet {
  readonly backend = "sqlite";
  readonly schema = null;
  readonly #connect: () => DatabaseSync;
  readonly #busyTimeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(connect: () => DatabaseSync, busyTimeoutMs: number) {
    this.#connect = connect;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Sessions of one driver run one after another; those of other drivers and processes meet at the write lock. */
  withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
    const session = this.#last.then(() => this.#runSession(body));
    this.#last = session.catch(() => undefined);
    return session;
  }

  async #runSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
    const database = this.#connect();
    try {
      return await body(new SqliteMigrationSession(database, this.#busyTimeoutMs));
    } finally {
      database.close();
    }
  }
}

/** One connection on which migrations run. */
class SqliteMigrationSession implements MigrationSession {
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;

  constructor(database: DatabaseSync, busyTimeoutMs: number) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  execute(sql: string): Promise<void> {
    return this.#whileBusy(() => this.#database.exec(sql));
  }

  query(sql: string, values: readonly (string | number | bigint | null)[] = []): Promise<Record<string, unknown>[]> {
    return this.#whileBusy(() => this.#database.prepare(sql).all(...values));
  }

  /**
   * Tries again while another connection holds the lock, unless that would repeat what an open transaction has done
   * already. Several statements in one text belong between BEGIN and COMMIT for the same reason.
   */
  async #whileBusy<T>(attempt: () => T): Promise<T> {
    const backoff = new BusyBackoff(this.#busyTimeoutMs);
    for (;;) {
      const inTransaction = this.#database.isTransaction;
      try {
        return attempt();
      } catch (error) {
        const again = isBusy(error) && this.#database.isTransaction === inTransaction;
        if (!again) throw translateFailure(error, OPERATION);
        await backoff.pause(OPERATION, error);
      }
    }
  }
}
