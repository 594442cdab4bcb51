/** Finds the migrations of the line that a command is for. */
import {
  loadMigrations,
  MIGRATION_LINE_MAIN,
  MIGRATION_LINES,
  type Migration,
  type MigrationBackend,
} from "@riverqueue/migrate";
import { nearestName } from "../arguments/nearest-name.ts";
import { CliProblem } from "../cli-problem.ts";
import type { LineMigrations } from "../run-options.ts";
import type { CommandCall } from "./command.ts";

/** A line, as a migrator takes it. */
export interface Line {
  readonly line: string;
  readonly migrations: readonly Migration[];
}

/** Those that come with the migrations. */
const KNOWN_LINES = MIGRATION_LINES.map((line): [string, LineMigrations] => [
  line,
  (backend) => loadMigrations(backend, { line }),
]);

/** The line of `--line`, `main` unless given. @throws CliProblem when there is none of that name. */
export function findLine({ flags, migrationLines }: CommandCall, backend: MigrationBackend): Line {
  const { line = MIGRATION_LINE_MAIN } = flags;
  const lines = new Map([...KNOWN_LINES, ...migrationLines]);
  const migrations = lines.get(line);
  if (migrations !== undefined) return { line, migrations: migrations(backend) };
  const near = nearestName(line, lines.keys());
  const hint = near === null ? `; known are ${[...lines.keys()].join(", ")}` : `; did you mean "${near}"?`;
  throw new CliProblem(`migration line "${line}" does not exist${hint}`);
}
