/** What the statements on the tables of the migration line `fleet` have in common, on whatever database. */
import { COUNT_COLUMNS } from "./minute-counts.ts";

/** Gives a table the name by which statements reach it. */
export type TableName = (table: string) => string;

/** A statement for tables of these names. Each is described where it is written for Postgres. */
export type FleetStatement = (table: TableName) => string;

/** What a heartbeat replaces, in the order of its parameters, which begin with the client's ID. */
const HEARTBEAT_COLUMNS: readonly string[] = [
  "host",
  "process_id",
  "version",
  "runtime",
  "state",
  "queues",
  "running",
  "loop_delay_max_ms",
  "loop_delay_mean_ms",
  "loop_delay_p99_ms",
  "executors",
  "started_at",
  "seen_at",
];

/** Columns of a client, in the order of the parameters of a heartbeat. */
export const CLIENT_COLUMNS: string = ["client_id", ...HEARTBEAT_COLUMNS].join(", ");
/** Assignments that replace those of a client that has a row. */
export const REPLACED_CLIENT: string = HEARTBEAT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ");

/** Columns of a minute. */
export const MINUTE_COLUMNS: string = ["minute", "queue", "kind", ...COUNT_COLUMNS].join(", ");
/** Assignments that add counts to those of a row called `stored`. */
export const ADDED_COUNTS: string = COUNT_COLUMNS.map(
  (column) => `${column} = stored.${column} + excluded.${column}`,
).join(", ");
