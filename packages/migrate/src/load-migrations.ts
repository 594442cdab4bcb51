/** The migrations that come with this package. */
import type { Migration, MigrationBackend } from "./migration.ts";
import { postgresMainLine } from "./sql/postgres/main-line.ts";
import { sqliteMainLine } from "./sql/sqlite/main-line.ts";
import { checkBackend, checkLoadOptions } from "./check-options.ts";
import { renderMigration } from "./schema-template.ts";

/**
 * Options of {@link loadMigrations}.
 *
 * @addition
 */
export interface LoadMigrationsOptions {
  /**
   * Postgres schema to qualify names with; null for the connection's default. When absent the marks of
   * `Migration.upSql` stay in the text, for a migrator to replace.
   */
  readonly schema?: string | null | undefined;
  /** Postgres only: false leaves out the two GIN indexes on arguments and metadata. True by default. */
  readonly ginIndexes?: boolean | undefined;
}

/**
 * The main line for one database family, ascending, as text to print, to run with another tool, or to pass on to a
 * migrator. Every call returns a new array.
 *
 * @throws ConfigurationError on an unknown backend or a bad option.
 */
export function loadMigrations(backend: MigrationBackend, options?: LoadMigrationsOptions): Migration[] {
  checkBackend(backend);
  const { schema, ginIndexes } = checkLoadOptions(options);
  const migrations = backend === "sqlite" ? sqliteMainLine() : postgresMainLine({ ginIndexes });
  return schema === undefined ? migrations : migrations.map((migration) => renderMigration(migration, schema));
}
