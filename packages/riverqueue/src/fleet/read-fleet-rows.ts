/** Makes figures of rows of the fleet's tables. Other programs may write there, so JSON is read with care. */
import type {
  FleetAuditEntry,
  FleetClient,
  FleetLatencyBucket,
  FleetMinute,
  FleetQueueLatency,
} from "../api/fleet-figures.ts";
import type { JsonObject } from "../json/json-value.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import { durationOfMs } from "../options/duration-input.ts";
import type { FleetRow } from "./fleet-store.ts";
import { LATENCY_BUCKETS } from "./latency-buckets.ts";

/** A row of `river_fleet_client`. */
export function readFleetClient(row: FleetRow): FleetClient {
  const max = row["loop_delay_max_ms"];
  return {
    clientId: String(row["client_id"]),
    host: String(row["host"]),
    processId: Number(row["process_id"]),
    version: readText(row["version"]),
    runtime: String(row["runtime"]),
    state: String(row["state"]),
    queues: readQueues(parseJsonObject(String(row["queues"]))),
    running: Number(row["running"]),
    eventLoopDelay:
      max === null
        ? null
        : {
            max: durationOfMs(Number(max)),
            mean: durationOfMs(Number(row["loop_delay_mean_ms"])),
            p99: durationOfMs(Number(row["loop_delay_p99_ms"])),
          },
    executors: parseJsonObject(String(row["executors"])),
    startedAt: readTime(row["started_at"]),
    seenAt: readTime(row["seen_at"]),
    live: Boolean(row["live"]),
  };
}

/** A row of `river_fleet_minute`. */
export function readFleetMinute(row: FleetRow): FleetMinute {
  const latency = LATENCY_BUCKETS.map(({ column, upToMs }): FleetLatencyBucket => ({
    upTo: upToMs === null ? null : durationOfMs(upToMs),
    jobs: Number(row[column]),
  }));
  return {
    minute: readTime(row["minute_ms"]),
    queue: String(row["queue"]),
    kind: String(row["kind"]),
    inserted: Number(row["inserted"]),
    completed: Number(row["completed"]),
    failed: Number(row["failed"]),
    latency,
  };
}

/** A row of `river_fleet_queue_latency`. */
export function readQueueLatency(row: FleetRow): FleetQueueLatency {
  return {
    queue: String(row["queue"]),
    started: Number(row["started"]),
    p50: readDuration(row["p50_ms"]),
    p95: readDuration(row["p95_ms"]),
    p99: readDuration(row["p99_ms"]),
  };
}

/** A row of `river_fleet_audit`. */
export function readAuditEntry(row: FleetRow): FleetAuditEntry {
  return {
    id: BigInt(row["id"] as bigint | number),
    createdAt: readTime(row["created_at"]),
    clientId: readText(row["client_id"]),
    actor: readText(row["actor"]),
    action: String(row["action"]),
    subject: readText(row["subject"]),
    details: parseJsonObject(String(row["details"])),
  };
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function readDuration(ms: unknown): Temporal.Duration | null {
  return ms === null ? null : durationOfMs(Number(ms));
}

function readTime(epochMs: unknown): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Math.round(Number(epochMs)));
}

function readQueues(queues: JsonObject): FleetClient["queues"] {
  const entries = Object.entries(queues).map(([name, value]) => {
    const settings = typeof value === "object" && value !== null ? (value as JsonObject) : {};
    return [name, { maxWorkers: Number(settings["max_workers"] ?? 0), paused: settings["paused"] === true }] as const;
  });
  return Object.fromEntries(entries);
}
