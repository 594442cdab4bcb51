/** What the verbs of the SQL stores run on. */
import type { SqlDatabase, SqlRow, SqlRunOptions, SqlStatement } from "../seam/sql-database.ts";
import type { SqlTerms } from "./sql-terms.ts";
import { type SqlFragment, statement } from "./sql-text.ts";

/** See the file header. */
export class SqlContext<Tx = unknown> {
  readonly database: SqlDatabase<Tx>;
  readonly terms: SqlTerms;

  constructor(database: SqlDatabase<Tx>, terms: SqlTerms) {
    this.database = database;
    this.terms = terms;
  }

  /** Whether a write sends the event's message itself. */
  sends({ send }: { readonly send: boolean }): boolean {
    return send && this.database.sendsInTransaction;
  }

  /** Runs all as one unit; the rows of each. */
  run(fragments: readonly SqlFragment[], options?: SqlRunOptions<Tx>): Promise<readonly (readonly SqlRow[])[]> {
    return this.database.run(
      fragments.map((fragment) => this.#statement(fragment)),
      options,
    );
  }

  /** Runs one statement; its rows. */
  async rows(fragment: SqlFragment, options?: SqlRunOptions<Tx>): Promise<readonly SqlRow[]> {
    const [rows = []] = await this.run([fragment], options);
    return rows;
  }

  #statement(fragment: SqlFragment): SqlStatement {
    return statement(this.database.dialect, fragment);
  }
}
