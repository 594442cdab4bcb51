/** Something to make a migrator with where only its migrations are asked for. */
import { DatabaseSync } from "node:sqlite";
import type { MigrationBackend, MigratorSource } from "@riverqueue/migrate";

/** A source that reaches no database. */
export function offlineSource(backend: MigrationBackend, schema: string | undefined): MigratorSource {
  if (backend === "sqlite") return { database: new DatabaseSync(":memory:") };
  return { client: { query: () => Promise.reject(new Error("not connected")) }, schema: schema ?? null };
}
