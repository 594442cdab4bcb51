/** What the verbs of the SQL stores run on. */
import type { SqlDatabase, SqlRow, SqlRunOptions, SqlStatement } from "../seam/sql-database.ts";
import type { SqlTerms } from "./sql-terms.ts";
import { type SqlFragment, statement } from "./sql-text.ts";

/** Options of a run. */
export interface ContextRunOptions<Tx> extends SqlRunOptions<Tx> {
  /** The statements have few texts and are run again and again: the database may keep them prepared. */
  readonly prepare?: boolean | undefined;
}

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
  run(
    fragments: readonly SqlFragment[],
    { prepare = false, ...options }: ContextRunOptions<Tx> = {},
  ): Promise<readonly (readonly SqlRow[])[]> {
    const { dialect } = this.database;
    const statements = fragments.map((fragment): SqlStatement => ({ ...statement(dialect, fragment), prepare }));
    return this.database.run(statements, options);
  }

  /** Runs one statement; its rows. */
  async rows(fragment: SqlFragment, options?: ContextRunOptions<Tx>): Promise<readonly SqlRow[]> {
    const [rows = []] = await this.run([fragment], options);
    return rows;
  }
}
