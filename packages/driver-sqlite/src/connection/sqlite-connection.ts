/**
 * Statements on one `DatabaseSync`: prepared once, rows as arrays, integers as `bigint`. Used for River's own connection
 * and for handles of the application alike; it opens, begins and closes nothing.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A value to bind. */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** One row, values in the order of the statement's columns. */
export type SqliteRow = readonly unknown[];

// Lists with filters have texts of their own, so the number of statements has to end somewhere.
const STATEMENT_LIMIT = 200;

const connections = new WeakMap<DatabaseSync, SqliteConnection>();

/** Prepared statements of one handle. */
export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** The one instance for `database`, which keeps its statements for as long as the handle lives. */
  static of(database: DatabaseSync): SqliteConnection {
    let connection = connections.get(database);
    if (connection === undefined) {
      connection = new SqliteConnection(database);
      connections.set(database, connection);
    }
    return connection;
  }

  /** Every row that the statement returns. */
  rows(text: string, ...values: SqliteValue[]): SqliteRow[] {
    return this.#with(text, (statement) => statement.all(...values)) as unknown as SqliteRow[];
  }

  /** The first row, or undefined. */
  row(text: string, ...values: SqliteValue[]): SqliteRow | undefined {
    return this.#with(text, (statement) => statement.get(...values)) as unknown as SqliteRow | undefined;
  }

  /** Every row, and the names of the columns. */
  named(text: string, ...values: SqliteValue[]): { readonly columns: readonly string[]; readonly rows: SqliteRow[] } {
    return this.#with(text, (statement) => ({
      columns: statement.columns().map(({ name }) => name),
      rows: statement.all(...values) as unknown as SqliteRow[],
    }));
  }

  /** Runs a statement for its effect; the number of rows changed. */
  change(text: string, ...values: SqliteValue[]): number {
    return Number(this.#with(text, (statement) => statement.run(...values)).changes);
  }

  /** Statements of a closed and reopened handle are dead; such a one is prepared again. */
  #with<T>(text: string, use: (statement: StatementSync) => T): T {
    const cached = this.#statements.get(text);
    if (cached !== undefined) {
      try {
        return use(cached);
      } catch (error) {
        if (!isFinalized(error) || !this.database.isOpen) throw error;
        this.#statements.clear();
      }
    }
    return use(this.#prepare(text));
  }

  #prepare(text: string): StatementSync {
    const statement = this.database.prepare(text, { readBigInts: true, returnArrays: true });
    if (this.#statements.size >= STATEMENT_LIMIT) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(text, statement);
    return statement;
  }
}

function isFinalized(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";
}
