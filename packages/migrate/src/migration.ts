/** What a migration is: one version of one line, with its SQL in both directions. */
import type { Backend } from "riverqueue/driver";

/** Database family that a migration is written for. */
export type MigrationBackend = Backend;

/** Which way a schema changes. */
export type MigrationDirection = "up" | "down";

/** Name of the line that holds River's own tables. Every other line builds on it. */
export const MIGRATION_LINE_MAIN = "main";

/**
 * Name of a line that comes with this package. The lines beside `main` are optional: each holds the tables of one
 * extension.
 *
 * - `fleet`: heartbeats of clients, counts by the minute and an audit trail, for whoever watches several processes.
 * - `reaction`: events, commands, log entries and analytics of `@riverqueue/reaction`.
 *
 * @addition
 */
export type MigrationLineName = "main" | "fleet" | "reaction";

/**
 * The lines that come with this package, `main` first.
 *
 * @addition
 */
export const MIGRATION_LINES: readonly MigrationLineName[] = Object.freeze(["main", "fleet", "reaction"] as const);

/** One version of a line. */
export interface Migration {
  /** Versions of a line are consecutive integers from 1. */
  readonly version: number;
  /** A few words for people, such as `initial schema`. */
  readonly name: string;
  /**
   * Statements that bring the version in, run in one transaction. A block comment with the text `TEMPLATE: schema` before
   * the name of an object is where the migrator puts the quoted schema and a dot, or nothing without a configured schema.
   */
  readonly upSql: string;
  /** Statements that take the version out again, written like `upSql`. */
  readonly downSql: string;
}
