/** Finds out what a migrator was given, and how to reach the database through it. */
import { ConfigurationError, type MigrationFacet } from "riverqueue/driver";
import { checkSchema } from "./check-options.ts";
import type { MigratorSource, PgMigrationClient, PgMigrationPool } from "./migration-target.ts";
import { postgresClientFacet, postgresPoolFacet } from "./postgres-migration-facet.ts";
import { sqliteMigrationFacet } from "./sqlite-migration-facet.ts";
import type { DatabaseSync } from "node:sqlite";

/** @throws ConfigurationError when `source` is nothing that migrations can run on. */
export function openSource(source: MigratorSource): MigrationFacet {
  const fields = readSource(source);
  if (hasMethods(fields["migrations"], ["withSession"])) return fields["migrations"] as MigrationFacet;
  if (fields["canWork"] === false) {
    throw new ConfigurationError(
      "source is a driver that only inserts; migrate with { pool }, { client } or { database }",
    );
  }
  if ("database" in fields) return openDatabase(fields);
  if ("pool" in fields) return openPool(fields);
  if ("client" in fields) return openClient(fields);
  throw new ConfigurationError("source must be a driver, { pool, schema }, { client, schema } or { database }");
}

function readSource(source: unknown): Readonly<Record<string, unknown>> {
  if (typeof source === "object" && source !== null) return source as Readonly<Record<string, unknown>>;
  throw new ConfigurationError("source must be a driver, { pool, schema }, { client, schema } or { database }");
}

function openDatabase(fields: Readonly<Record<string, unknown>>): MigrationFacet {
  refuseOthers(fields, ["database"]);
  const { database } = fields;
  if (hasMethods(database, ["exec", "prepare"])) return sqliteMigrationFacet(database as DatabaseSync);
  throw new ConfigurationError("source.database must be a DatabaseSync of node:sqlite");
}

function openPool(fields: Readonly<Record<string, unknown>>): MigrationFacet {
  refuseOthers(fields, ["pool", "schema"]);
  const { pool } = fields;
  if (hasMethods(pool, ["connect"])) return postgresPoolFacet(pool as PgMigrationPool, readSchema(fields));
  throw new ConfigurationError("source.pool must be a pool of pg");
}

function openClient(fields: Readonly<Record<string, unknown>>): MigrationFacet {
  refuseOthers(fields, ["client", "schema"]);
  const { client } = fields;
  if (hasMethods(client, ["query"])) return postgresClientFacet(client as PgMigrationClient, readSchema(fields));
  throw new ConfigurationError("source.client must be a connected client of pg");
}

function readSchema(fields: Readonly<Record<string, unknown>>): string | null {
  return checkSchema(fields["schema"], "source.schema") ?? null;
}

function refuseOthers(fields: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const other = Object.keys(fields).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new ConfigurationError(`source.${other} is not known here; known are ${known.join(", ")}`);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
