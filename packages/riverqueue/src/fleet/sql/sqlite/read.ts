/**
 * Statements that read the fleet's tables on SQLite; parameters and columns are those of Postgres. They take no lock, and
 * use the same indexes.
 */
import type { FleetStatement } from "../../fleet-sql.ts";
import { COUNT_COLUMNS } from "../../minute-counts.ts";

function epochMs(column: string): string {
  return `round(unixepoch(${column}, 'subsec') * 1000)`;
}

/** Clients, the one heard of last first. */
export const LIST_CLIENTS: FleetStatement = (table) => `SELECT client_id, host, process_id, version, runtime, state,
    json(queues) AS queues, running, loop_delay_max_ms, loop_delay_mean_ms, loop_delay_p99_ms,
    json(executors) AS executors, ${epochMs("client.started_at")} AS started_at,
    ${epochMs("client.seen_at")} AS seen_at,
    client.seen_at >= strftime('%Y-%m-%d %H:%M:%f', coalesce(?3, 'now'), format('-%.3f seconds', ?1 / 1000.0)) AS live
  FROM ${table("river_fleet_client")} AS client ORDER BY client.seen_at DESC, client_id LIMIT ?2`;

/** Counts, the latest minute first. */
export const LIST_MINUTES: FleetStatement = (table) => `SELECT ${epochMs("minute")} AS minute_ms, queue, kind,
    ${COUNT_COLUMNS.join(", ")}
  FROM ${table("river_fleet_minute")} ORDER BY minute DESC, queue, kind LIMIT ?1`;

/** How long jobs waited lately, by queue. */
export const LIST_LATENCIES: FleetStatement = (table) =>
  `SELECT queue, started, p50_ms, p95_ms, p99_ms FROM ${table("river_fleet_queue_latency")} ORDER BY queue LIMIT ?1`;

/** The audit trail, the latest first. */
export const LIST_NOTES: FleetStatement = (
  table,
) => `SELECT id, ${epochMs("created_at")} AS created_at, client_id, actor,
    action, subject, json(details) AS details
  FROM ${table("river_fleet_audit")} ORDER BY id DESC LIMIT ?1`;
