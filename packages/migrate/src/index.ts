/** `@riverqueue/migrate`: brings the schema of a River database up and down. */
export { createMigrator } from "./create-migrator.ts";
export { loadMigrations, type LoadMigrationsOptions } from "./load-migrations.ts";
export {
  type Migration,
  MIGRATION_LINE_MAIN,
  MIGRATION_LINES,
  type MigrationBackend,
  type MigrationDirection,
  type MigrationLineName,
} from "./migration.ts";
export type {
  MigrationTarget,
  MigratorSource,
  PgClientMigrationTarget,
  PgMigrationClient,
  PgMigrationPool,
  PgMigrationPoolClient,
  PgMigrationQueryResult,
  PgPoolMigrationTarget,
  SqliteMigrationTarget,
} from "./migration-target.ts";
export type {
  MigrateOptions,
  MigrateResult,
  MigrateVersion,
  Migrator,
  MigratorOptions,
  ValidateOptions,
  ValidateResult,
} from "./migrator.ts";
export { MigrationError } from "riverqueue/driver";
