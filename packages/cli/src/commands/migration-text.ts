/** How a migration is written for people and for other tools. */
import type { MigrationDirection } from "@riverqueue/migrate";

/** A version as versions are written: three digits at least. */
export function formatVersion(version: number): string {
  return String(version).padStart(3, "0");
}

/** SQL under a comment that says what it is. */
export function formatSql(line: string, version: number, direction: MigrationDirection, sql: string): string {
  return `-- River ${line} migration ${formatVersion(version)} [${direction}]\n${sql.trim()}`;
}
