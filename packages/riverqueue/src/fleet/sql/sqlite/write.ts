/**
 * Statements that write the fleet's tables on SQLite. Parameters are those of Postgres. Times are stored as text with
 * milliseconds, which sorts by time; each statement needs the write lock.
 */
import { ADDED_COUNTS, CLIENT_COLUMNS, type FleetStatement, MINUTE_COLUMNS, REPLACED_CLIENT } from "../../fleet-sql.ts";
import { COUNT_COLUMNS } from "../../minute-counts.ts";

/** A time as it is stored, of an ISO text or of `now`. */
function storedTime(expression: string, ...changes: readonly string[]): string {
  return `strftime('%Y-%m-%d %H:%M:%f', ${[expression, ...changes].join(", ")})`;
}

/** Whether the line is migrated. Index: the schema's table is small. */
export const FIND_TABLES: FleetStatement = () =>
  "SELECT count(*) = 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'river_fleet_client'";

/** Creates or replaces the row of a client. Index: the primary key. */
export const BEAT: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_client")} (${CLIENT_COLUMNS})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, jsonb(?7), ?8, ?9, ?10, ?11, jsonb(?12), ${storedTime("?13")},
    ${storedTime("coalesce(?14, 'now')")})
  ON CONFLICT (client_id) DO UPDATE SET ${REPLACED_CLIENT}`;

/** Deletes the row of a client that has stopped. Index: the primary key. */
export const LEAVE: FleetStatement = (table) => `DELETE FROM ${table("river_fleet_client")} WHERE client_id = ?1`;

/** Adds counts to those of other clients. Index: the primary key. */
export const ADD_MINUTES: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_minute")} AS stored
    (${MINUTE_COLUMNS})
  SELECT ${storedTime("entry.value ->> 0")}, entry.value ->> 1, entry.value ->> 2,
    ${COUNT_COLUMNS.map((_, index) => `entry.value ->> ${index + 3}`).join(", ")}
  FROM json_each(?1) AS entry WHERE true
  ON CONFLICT (minute, queue, kind) DO UPDATE SET ${ADDED_COUNTS}`;

/** Appends entries to the audit trail. */
export const ADD_NOTES: FleetStatement = (table) => `INSERT INTO ${table("river_fleet_audit")}
    (created_at, client_id, action, subject)
  SELECT ${storedTime("entry.value ->> 0")}, ?1, entry.value ->> 1, entry.value ->> 2
  FROM json_each(?2) AS entry ORDER BY entry.key`;

/** Deletes clients that have not been heard of. Index: the table has one row a client. */
export const DELETE_CLIENTS: FleetStatement = (table) => deleteOld(table, "river_fleet_client", "seen_at");

/** Deletes counts of old minutes. Index: the primary key. */
export const DELETE_MINUTES: FleetStatement = (table) => deleteOld(table, "river_fleet_minute", "minute");

/** Deletes old entries of the audit trail. Index: `river_fleet_audit_created_at_index`. */
export const DELETE_NOTES: FleetStatement = (table) => deleteOld(table, "river_fleet_audit", "created_at");

function deleteOld(table: Parameters<FleetStatement>[0], name: string, time: string): string {
  return `DELETE FROM ${table(name)} WHERE rowid IN (
    SELECT rowid FROM ${table(name)}
    WHERE ${time} < ${storedTime("coalesce(?3, 'now')", "format('-%.3f seconds', ?4 / 1000.0)")} AND EXISTS (
      SELECT 1 FROM ${table("river_leader")}
      WHERE leader_id = ?1 AND unixepoch(elected_at, 'subsec') = unixepoch(?2, 'subsec')
        AND expires_at >= ${storedTime("coalesce(?3, 'now')")}
    )
    ORDER BY ${time} LIMIT ?5
  )`;
}
