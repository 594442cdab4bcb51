/** DDL access for migrations. Only `@riverqueue/migrate` receives it; the runtime never changes a schema. */
import type { Backend } from "./traits.ts";

/** One connection on which migrations run. */
export interface MigrationSession {
  /** Runs one or more statements without parameters. */
  execute(sql: string): Promise<void>;
  /** Rows by column name. Placeholders are `$1…` on Postgres and `?` on SQLite. */
  query(sql: string, values?: readonly (string | number | bigint | null)[]): Promise<Record<string, unknown>[]>;
}

/** Where a migrator works. */
export interface MigrationFacet {
  readonly backend: Backend;
  /** Configured schema; null for the connection's default. */
  readonly schema: string | null;
  /** Lends one connection for the whole callback; concurrent migrators of one database run one after another. */
  withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T>;
}
