/** What a migration is: one version of one line, with its SQL in both directions. */
import type { Backend } from "riverqueue/driver";

/** Database family that a migration is written for. */
export type MigrationBackend = Backend;

/** Which way a schema changes. */
export type MigrationDirection = "up" | "down";

/** Name of the line that holds River's own tables. Every other line builds on it. */
export const MIGRATION_LINE_MAIN = "main";

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
