/** Opens a fleet's database. */
import type { FleetBackend, FleetStore } from "./fleet-store.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** @param address - URL of a Postgres database, or path of an SQLite file; migrated. */
export function openStore(backend: FleetBackend, address: string): FleetStore {
  return backend === "postgres" ? openPostgresStore(address) : openSqliteStore(address);
}
