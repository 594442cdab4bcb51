/**
 * The tables of line `reaction` in D1. A run is one `batch`, which D1 carries out as a whole or not at all; there is no
 * transaction that an application could have open, so there is none to join.
 */
import { StoredContentError, ValidationError } from "@riverqueue/reaction";
import type { SqlDatabase, SqlRow, SqlRunOptions, SqlStatement } from "@riverqueue/reaction/home";
import type { D1Binding } from "./bindings.ts";

/** D1 says what went wrong by SQLite's name for it, at the end of a message. */
const TOO_BIG = /\bSQLITE_TOOBIG\b/;

/** See the file header. */
export class D1SqlDatabase implements SqlDatabase<never> {
  readonly dialect = "sqlite";
  readonly sendsInTransaction = false;
  readonly #database: D1Binding;

  constructor(database: D1Binding) {
    this.#database = database;
  }

  tableName(table: string): string {
    return table;
  }

  async run(
    statements: readonly SqlStatement[],
    { tx }: SqlRunOptions<never> = {},
  ): Promise<readonly (readonly SqlRow[])[]> {
    if (tx !== undefined) throw new ValidationError("D1 has no transaction that an event could join; leave out tx");
    const prepared = statements.map(({ text, values }) => this.#database.prepare(text).bind(...values));
    try {
      const results = await this.#database.batch(prepared);
      return results.map(({ results: rows = [] }) => rows as SqlRow[]);
    } catch (error) {
      if (error instanceof Error && TOO_BIG.test(error.message)) {
        throw new StoredContentError("D1 refuses a value for its size", { cause: error });
      }
      throw error;
    }
  }
}
