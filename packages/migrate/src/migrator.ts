/** The face of a migrator: what it is asked and what it answers. */
import type { Migration, MigrationBackend, MigrationDirection } from "./migration.ts";

/** Options of `createMigrator`. */
export interface MigratorOptions {
  /** Line to migrate, `main` by default. One that is not among `MIGRATION_LINES` needs `migrations`. */
  readonly line?: string | undefined;
  /** Versions of the line, in any order, consecutive from 1. By default those that come with this package. */
  readonly migrations?: readonly Migration[] | undefined;
  /**
   * Postgres only, true by default: false leaves out the GIN indexes on arguments and metadata, which make inserts dearer
   * and searches inside JSON faster. It counts when version 2 is applied; indexes that exist stay.
   *
   * @addition
   */
  readonly ginIndexes?: boolean | undefined;
}

/** Options of {@link Migrator.migrateUp} and {@link Migrator.migrateDown}. */
export interface MigrateOptions {
  /** True: nothing is changed, and the result tells what would be. False by default. */
  readonly dryRun?: boolean | undefined;
  /** At most so many versions; 0 or -1 for none. By default all on the way up and one on the way down. */
  readonly maxSteps?: number | undefined;
  /**
   * Version to arrive at. Up includes it, and does nothing when it is applied already. Down leaves it applied, so that
   * going down to 3 from 5 takes out 5 and 4; 0 or -1 takes out all.
   */
  readonly targetVersion?: number | undefined;
}

/** Options of {@link Migrator.validate}. */
export interface ValidateOptions {
  /** Versions above this one may be missing. By default none may. */
  readonly targetVersion?: number | undefined;
}

/** One version that was applied or taken out, or would be in a dry run. */
export interface MigrateVersion {
  readonly version: number;
  readonly name: string;
  /** The statements of this direction, qualified by the configured schema. */
  readonly sql: string;
  /** How long its transaction took, waiting for locks included; zero in a dry run. */
  readonly duration: Temporal.Duration;
}

/** What a migration run did. */
export interface MigrateResult {
  readonly direction: MigrationDirection;
  /** In the order run; empty when there was nothing to do. */
  readonly versions: MigrateVersion[];
}

/** What `validate` found. */
export interface ValidateResult {
  readonly ok: boolean;
  /** What is missing, in words; empty when ok. */
  readonly messages: string[];
}

/**
 * Brings one line of a database up and down. Every version runs in a transaction of its own together with its record in
 * `river_migration`, so that a failure leaves the versions before it applied. Migrators of one database take turns, in
 * one process or several. Versions newer than this migrator knows are left alone.
 *
 * All methods reject with `ValidationError` on bad options and with `MigrationError` on everything else: a target that
 * is not known or not applied, a step that is refused, and whatever the database reports, which is then the cause.
 */
export interface Migrator {
  readonly backend: MigrationBackend;
  readonly line: string;
  /** The versions of the line, ascending, qualified by the configured schema. */
  readonly migrations: readonly Migration[];
  /** Applies versions that are not applied, ascending. */
  migrateUp(options?: MigrateOptions): Promise<MigrateResult>;
  /**
   * Takes out applied versions, descending. Refused before the first step: to take `main` below 5 while other lines have
   * versions applied, whose records would be lost.
   */
  migrateDown(options?: MigrateOptions): Promise<MigrateResult>;
  /** Whether every known version is applied. */
  validate(options?: ValidateOptions): Promise<ValidateResult>;
  /** Applied versions of the line, ascending, unknown newer ones included. */
  existingVersions(): Promise<number[]>;
}
