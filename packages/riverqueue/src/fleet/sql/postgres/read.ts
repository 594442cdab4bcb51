/** Statements that read the fleet's tables on Postgres. Times come as milliseconds since the epoch, JSON as text. */
import type { FleetStatement } from "../../fleet-sql.ts";
import { COUNT_COLUMNS } from "../../minute-counts.ts";

function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}

/**
 * Clients, the one heard of last first.
 *
 * - Parameters: 1 milliseconds of silence after which a client does not count as live, 2 limit, 3 now or null.
 * - Result: the columns of the table, and `live`. Locks: none. Index: the table has one row a client.
 */
export const LIST_CLIENTS: FleetStatement = (table) => `SELECT client_id, host, process_id, version, runtime, state,
    queues::text AS queues, running, loop_delay_max_ms, loop_delay_mean_ms, loop_delay_p99_ms,
    executors::text AS executors, ${epochMs("client.started_at")} AS started_at, ${epochMs("client.seen_at")} AS seen_at,
    client.seen_at >= coalesce($3::timestamptz, now()) - $1::float8 * interval '1 millisecond' AS live
  FROM ${table("river_fleet_client")} AS client ORDER BY client.seen_at DESC, client_id LIMIT $2::bigint`;

/**
 * Counts, the latest minute first.
 *
 * - Parameters: 1 limit. Result: the columns of the table. Locks: none. Index: the primary key, backwards.
 */
export const LIST_MINUTES: FleetStatement = (table) => `SELECT ${epochMs("minute")} AS minute_ms, queue, kind,
    ${COUNT_COLUMNS.join(", ")}
  FROM ${table("river_fleet_minute")} ORDER BY minute DESC, queue, kind LIMIT $1::bigint`;

/**
 * How long jobs waited lately, by queue.
 *
 * - Parameters: 1 limit. Result: the columns of the view. Locks: none. Index: the primary key, of the last minutes.
 */
export const LIST_LATENCIES: FleetStatement = (table) =>
  `SELECT queue, started, p50_ms, p95_ms, p99_ms FROM ${table("river_fleet_queue_latency")} ORDER BY queue LIMIT $1::bigint`;

/**
 * The audit trail, the latest first.
 *
 * - Parameters: 1 limit. Result: the columns of the table. Locks: none. Index: the primary key, backwards.
 */
export const LIST_NOTES: FleetStatement = (
  table,
) => `SELECT id, ${epochMs("created_at")} AS created_at, client_id, actor,
    action, subject, details::text AS details
  FROM ${table("river_fleet_audit")} ORDER BY id DESC LIMIT $1::bigint`;
