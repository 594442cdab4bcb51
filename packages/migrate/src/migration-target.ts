/** Where a migrator can work: connections of the application, or a driver. Structural, so that no driver is a dependency. */
import type { DatabaseSync } from "node:sqlite";
import type { RuntimeDriver } from "riverqueue/driver";

/** What a query on {@link PgMigrationClient} resolves to. */
export interface PgMigrationQueryResult {
  readonly rows: Record<string, unknown>[];
}

/** One connection to Postgres: a connected `Client` of `pg` fits. */
export interface PgMigrationClient {
  query(text: string, values?: unknown[]): Promise<PgMigrationQueryResult>;
}

/** A connection lent by a pool. */
export interface PgMigrationPoolClient extends PgMigrationClient {
  /** Gives the connection back; `true` closes it instead. */
  release(destroy?: boolean): void;
}

/** A pool of connections to Postgres: a `Pool` of `pg` fits. */
export interface PgMigrationPool {
  connect(): Promise<PgMigrationPoolClient>;
}

/** A Postgres database behind a pool. Each call of a migrator uses one connection and gives it back. */
export interface PgPoolMigrationTarget {
  readonly pool: PgMigrationPool;
  /** Existing schema for the tables; absent or null: the connection's default, by `search_path`. */
  readonly schema?: string | null | undefined;
}

/** A Postgres database behind one connected client without an open transaction. It is never closed. */
export interface PgClientMigrationTarget {
  readonly client: PgMigrationClient;
  /** Existing schema for the tables; absent or null: the connection's default, by `search_path`. */
  readonly schema?: string | null | undefined;
}

/**
 * A SQLite database behind the application's own handle, `:memory:` included, without an open transaction. It is never
 * closed. A statement runs in one piece and the event loop stands still for so long; waiting for another process's
 * lock does not block.
 */
export interface SqliteMigrationTarget {
  readonly database: DatabaseSync;
}

/** Connections of the application. */
export type MigrationTarget = PgPoolMigrationTarget | PgClientMigrationTarget | SqliteMigrationTarget;

/** What `createMigrator` accepts: a driver that can work jobs, or connections of the application. */
export type MigratorSource = Pick<RuntimeDriver<never>, "backend" | "migrations"> | MigrationTarget;
