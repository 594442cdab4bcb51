import type { Migration } from "../../migration.ts";
import { fleetTables } from "./fleet-001-fleet-tables.ts";

/** The line `fleet`, ascending. */
export function postgresFleetLine(): Migration[] {
  return [fleetTables];
}
