/** Finds the migrations of the line that a command is for. */
import { loadMigrations, MIGRATION_LINE_MAIN, type Migration, type MigrationBackend } from "@riverqueue/migrate";
import { nearestName } from "../arguments/nearest-name.ts";
import { CliProblem } from "../cli-problem.ts";
import type { CommandCall } from "./command.ts";

/** A line, as a migrator takes it. */
export interface Line {
  readonly line: string;
  readonly migrations: readonly Migration[];
}

/** The line of `--line`, `main` unless given. @throws CliProblem when there is none of that name. */
export function findLine({ flags, migrationLines }: CommandCall, backend: MigrationBackend): Line {
  const { line = MIGRATION_LINE_MAIN } = flags;
  const lines = new Map([[MIGRATION_LINE_MAIN, mainLine], ...migrationLines]);
  const migrations = lines.get(line);
  if (migrations !== undefined) return { line, migrations: migrations(backend) };
  const near = nearestName(line, lines.keys());
  const hint = near === null ? `; known are ${[...lines.keys()].join(", ")}` : `; did you mean "${near}"?`;
  throw new CliProblem(`migration line "${line}" does not exist${hint}`);
}

function mainLine(backend: MigrationBackend): readonly Migration[] {
  return loadMigrations(backend);
}
