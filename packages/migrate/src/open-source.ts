/** Finds out what a migrator was given, and how to reach the database through it. */
import { ConfigurationError, type MigrationFacet, OptionProblems } from "riverqueue/driver";
import { readSchema } from "./check-options.ts";
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
  const { database } = fields;
  const problems = findOthers(fields, ["database"]);
  if (!hasMethods(database, ["exec", "prepare"])) {
    problems.add("source.database", "must be a DatabaseSync of node:sqlite");
  }
  problems.throwConfiguration();
  return sqliteMigrationFacet(database as DatabaseSync);
}

function openPool(fields: Readonly<Record<string, unknown>>): MigrationFacet {
  const { pool } = fields;
  const problems = findOthers(fields, ["pool", "schema"]);
  if (!hasMethods(pool, ["connect"])) problems.add("source.pool", "must be a pool of pg");
  const schema = readSchema(problems, fields["schema"], "source.schema") ?? null;
  problems.throwConfiguration();
  return postgresPoolFacet(pool as PgMigrationPool, schema);
}

function openClient(fields: Readonly<Record<string, unknown>>): MigrationFacet {
  const { client } = fields;
  const problems = findOthers(fields, ["client", "schema"]);
  if (!hasMethods(client, ["query"])) problems.add("source.client", "must be a connected client of pg");
  const schema = readSchema(problems, fields["schema"], "source.schema") ?? null;
  problems.throwConfiguration();
  return postgresClientFacet(client as PgMigrationClient, schema);
}

/** A problem for each key that does not belong beside the first of `known`. */
function findOthers(fields: Readonly<Record<string, unknown>>, known: readonly string[]): OptionProblems {
  const problems = new OptionProblems();
  problems.object({ ...fields }, "source", known);
  return problems;
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
