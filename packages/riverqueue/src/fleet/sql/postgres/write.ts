/**
 * Statements that write the fleet's tables on Postgres. Times are parameters in ISO form, JSON is text; `now` is null
 * for the database's own clock. Each is atomic by itself and meets rows in the order of their keys.
 */
import { ADDED_COUNTS, CLIENT_COLUMNS, type FleetStatement, MINUTE_COLUMNS, REPLACED_CLIENT } from "../../fleet-sql.ts";
import { COUNT_COLUMNS } from "../../minute-counts.ts";

/**
 * Whether the line is migrated.
 *
 * - Parameters: none. Result: one row with `found`. Locks: none. Index: the catalogue's.
 */
export const FIND_TABLES: FleetStatement = (table) =>
  `SELECT to_regclass('${literal(table("river_fleet_client"))}') IS NOT NULL AS found`;

/**
 * Creates or replaces the row of a client.
 *
 * - Parameters: 1 client ID, 2 host, 3 process ID, 4 version, 5 runtime, 6 state, 7 queues, 8 running, 9 to 11 delay of the
 *   loop (longest, mean, 99th percentile), 12 executors, 13 started at, 14 now.
 * - Result: none. Locks: the row. Index: the primary key.
 */
export const BEAT: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_client")} (${CLIENT_COLUMNS})
  VALUES ($1::text, $2::text, $3::integer, $4::text, $5::text, $6::text, $7::jsonb, $8::integer, $9::float8, $10::float8,
    $11::float8, $12::jsonb, $13::timestamptz, coalesce($14::timestamptz, now()))
  ON CONFLICT (client_id) DO UPDATE SET ${REPLACED_CLIENT}`;

/**
 * Deletes the row of a client that has stopped.
 *
 * - Parameters: 1 client ID. Result: none. Locks: the row. Index: the primary key.
 */
export const LEAVE: FleetStatement = (table) => `DELETE FROM ${table("river_fleet_client")} WHERE client_id = $1::text`;

/**
 * Adds counts to those of other clients.
 *
 * - Parameters: 1 JSON array of arrays: minute, queue, kind, then one number for each of `COUNT_COLUMNS`; no key twice.
 * - Result: none. Locks: the rows, in the order of their keys, so that clients do not wait for each other in a circle.
 * - Index: the primary key.
 */
export const ADD_MINUTES: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_minute")} AS stored
    (${MINUTE_COLUMNS})
  SELECT (entry ->> 0)::timestamptz, entry ->> 1, entry ->> 2,
    ${COUNT_COLUMNS.map((_, index) => `(entry ->> ${index + 3})::bigint`).join(", ")}
  FROM jsonb_array_elements($1::jsonb) AS entry
  ORDER BY 1, 2, 3
  ON CONFLICT (minute, queue, kind) DO UPDATE SET ${ADDED_COUNTS}`;

/**
 * Appends entries to the audit trail.
 *
 * - Parameters: 1 client ID, 2 JSON array of arrays: time, action, subject or null. Result: none. Locks: none.
 */
export const ADD_NOTES: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_audit")}
    (created_at, client_id, action, subject)
  SELECT (entry ->> 0)::timestamptz, $1::text, entry ->> 1, entry ->> 2
  FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS entries (entry, position)
  ORDER BY position`;

/**
 * Deletes clients that have not been heard of.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now, 4 milliseconds to keep, 5 limit. Result: none; nothing happens once
 *   the term is over.
 * - Locks: the rows; locked ones are left. Index: the table has one row a client.
 */
export const DELETE_CLIENTS: FleetStatement = (table) =>
  deleteOld(table, { name: "river_fleet_client", key: ["client_id"], time: "seen_at" });

/**
 * Deletes counts of old minutes. Parameters and result as {@link DELETE_CLIENTS}; index: the primary key.
 */
export const DELETE_MINUTES: FleetStatement = (table) =>
  deleteOld(table, { name: "river_fleet_minute", key: ["minute", "queue", "kind"], time: "minute" });

/**
 * Deletes old entries of the audit trail. Parameters and result as {@link DELETE_CLIENTS}; index:
 * `river_fleet_audit_created_at_index`.
 */
export const DELETE_NOTES: FleetStatement = (table) =>
  deleteOld(table, { name: "river_fleet_audit", key: ["id"], time: "created_at" });

interface OldRows {
  readonly name: string;
  readonly key: readonly string[];
  readonly time: string;
}

function deleteOld(table: Parameters<FleetStatement>[0], { name, key, time }: OldRows): string {
  return `WITH old AS MATERIALIZED (
    SELECT ${key.join(", ")} FROM ${table(name)}
    WHERE ${time} < coalesce($3::timestamptz, now()) - $4::float8 * interval '1 millisecond' AND EXISTS (
      SELECT FROM ${table("river_leader")}
      WHERE leader_id = $1::text AND elected_at = $2::timestamptz AND expires_at >= coalesce($3::timestamptz, now())
    )
    ORDER BY ${time} LIMIT $5::bigint FOR UPDATE SKIP LOCKED
  )
  DELETE FROM ${table(name)} AS stored USING old
  WHERE ${key.map((column) => `stored.${column} = old.${column}`).join(" AND ")}`;
}

function literal(text: string): string {
  return text.replaceAll("'", "''");
}
