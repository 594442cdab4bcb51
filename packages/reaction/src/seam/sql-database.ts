/**
 * A database of the tables of migration line `reaction`, as the stores of this package use it: a list of statements that
 * take effect together or not at all. Nothing is decided between two of them, so that a batch of D1 will do.
 */

/** Values bound to a statement. */
export type SqlValue = number | string | null;

/** A statement in the dialect, with `?` (SQLite) or `$1` (Postgres) for its values. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The text is run again and again with other values: worth keeping prepared, where the database can. */
  readonly prepare?: boolean | undefined;
}

/** Rows by column name; integers as numbers, everything else as text. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Options of a run. */
export interface SqlRunOptions<Tx> {
  /** A transaction of the application to run in. */
  readonly tx?: Tx | undefined;
  /** Ids of events whose message goes out with the statements; called only where `sendsInTransaction`. */
  readonly sendFor?: ((rows: readonly (readonly SqlRow[])[]) => readonly string[]) | undefined;
  /** Ids of messages that are done with the statements; called only where `sendsInTransaction`. */
  readonly acknowledgeFor?: ((rows: readonly (readonly SqlRow[])[]) => readonly string[]) | undefined;
}

/** See the file header. */
export interface SqlDatabase<Tx = unknown> {
  readonly dialect: "postgres" | "sqlite";
  /** Whether `sendFor` and `acknowledgeFor` are honoured. */
  readonly sendsInTransaction: boolean;
  /** `table` as statements name it: quoted and qualified where needed. */
  tableName(table: string): string;
  /**
   * Runs the statements in order as one atomic unit; resolves to the rows of each.
   *
   * @throws StoredContentError when a value is refused for its content.
   */
  run(statements: readonly SqlStatement[], options?: SqlRunOptions<Tx>): Promise<readonly (readonly SqlRow[])[]>;
}
