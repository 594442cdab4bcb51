/** Opens a SQLite database. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CliProblem } from "../cli-problem.ts";
import type { OpenDatabase, OpenDatabaseOptions } from "./open-database.ts";

const IN_MEMORY = ":memory:";

/**
 * Opens the file of `path`. To a command that may not make it, a file that does not exist is an empty database, and
 * stays away: a misspelt path leaves nothing behind.
 */
export function openSqlite(path: string, { mayCreate, report }: OpenDatabaseOptions): OpenDatabase {
  const isMissing = !mayCreate && path !== IN_MEMORY && !path.startsWith("file:") && !existsSync(path);
  if (isMissing) report.log("warning", `${path} does not exist`);
  else report.log("debug", `SQLite database ${path}`);
  const database = open(isMissing ? IN_MEMORY : path);
  return { source: { database }, close: () => database.close() };
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw new CliProblem(`cannot open the SQLite database ${path}: ${(error as Error).message}`);
  }
}
