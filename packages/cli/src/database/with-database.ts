/** Opens the database of a command for as long as the command needs it. */
import type { MigratorSource } from "@riverqueue/migrate";
import { CliProblem } from "../cli-problem.ts";
import type { DatabaseAddress } from "./database-address.ts";
import type { OpenDatabaseOptions } from "./open-database.ts";
import { openPostgres } from "./open-postgres.ts";
import { openSqlite } from "./open-sqlite.ts";

/** Runs `body` with the database open. @throws CliProblem when it cannot be opened. */
export async function withDatabase<T>(
  address: DatabaseAddress,
  options: OpenDatabaseOptions,
  body: (source: MigratorSource) => Promise<T>,
): Promise<T> {
  refuseSchemaOnSqlite(address, options.schema);
  const database =
    address.backend === "sqlite" ? openSqlite(address.path, options) : await openPostgres(address, options);
  try {
    return await body(database.source);
  } finally {
    await database.close();
  }
}

/** @throws CliProblem when both are given. */
export function refuseSchemaOnSqlite(address: DatabaseAddress, schema: string | undefined): void {
  if (address.backend !== "sqlite" || schema === undefined) return;
  throw new CliProblem("--schema is for Postgres: a SQLite database has no schemas");
}
