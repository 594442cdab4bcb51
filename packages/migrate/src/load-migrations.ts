/** The migrations that come with this package. */
import type { Migration, MigrationBackend, MigrationLineName } from "./migration.ts";
import { postgresFleetLine } from "./sql/postgres/fleet-line.ts";
import { postgresMainLine } from "./sql/postgres/main-line.ts";
import { postgresReactionLine } from "./sql/postgres/reaction-line.ts";
import { sqliteFleetLine } from "./sql/sqlite/fleet-line.ts";
import { sqliteMainLine } from "./sql/sqlite/main-line.ts";
import { sqliteReactionLine } from "./sql/sqlite/reaction-line.ts";
import { checkBackend, checkLoadOptions } from "./check-options.ts";
import { renderMigration } from "./schema-template.ts";

/**
 * Options of {@link loadMigrations}.
 *
 * @addition
 */
export interface LoadMigrationsOptions {
  /** Line to load, `main` by default. */
  readonly line?: MigrationLineName | undefined;
  /**
   * Postgres schema to qualify names with; null for the connection's default. When absent the marks of
   * `Migration.upSql` stay in the text, for a migrator to replace.
   */
  readonly schema?: string | null | undefined;
  /** Postgres only: false leaves out the two GIN indexes on arguments and metadata. True by default. */
  readonly ginIndexes?: boolean | undefined;
}

interface LineOptions {
  readonly ginIndexes: boolean;
}

/** A further line is one entry here and one name in `MIGRATION_LINES`. */
const LINES: Readonly<
  Record<MigrationLineName, Readonly<Record<MigrationBackend, (options: LineOptions) => Migration[]>>>
> = {
  main: { postgres: postgresMainLine, sqlite: sqliteMainLine },
  fleet: { postgres: postgresFleetLine, sqlite: sqliteFleetLine },
  reaction: { postgres: postgresReactionLine, sqlite: sqliteReactionLine },
};

/**
 * One line for one database family, ascending, as text to print, to run with another tool, or to pass on to a
 * migrator. Every call returns a new array.
 *
 * @throws ConfigurationError on an unknown backend or line, or a bad option.
 */
export function loadMigrations(backend: MigrationBackend, options?: LoadMigrationsOptions): Migration[] {
  checkBackend(backend);
  const { line, schema, ginIndexes } = checkLoadOptions(options);
  const migrations = LINES[line][backend]({ ginIndexes });
  return schema === undefined ? migrations : migrations.map((migration) => renderMigration(migration, schema));
}
