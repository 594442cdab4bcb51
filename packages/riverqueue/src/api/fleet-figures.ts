/** What `client.inspect` tells of the fleet. */
import type { JsonObject } from "../json/json-value.ts";

/**
 * A client that works jobs, as of its last heartbeat.
 *
 * @addition
 */
export interface FleetClient {
  readonly clientId: string;
  /** Name of the machine. */
  readonly host: string;
  readonly processId: number;
  /** Of `riverqueue`; null where it cannot be told. */
  readonly version: string | null;
  /** Such as `node 26.1.0`. */
  readonly runtime: string;
  /** `running` or `stopping`. */
  readonly state: string;
  readonly queues: Readonly<Record<string, { readonly maxWorkers: number; readonly paused: boolean }>>;
  /** Attempts that run. */
  readonly running: number;
  /** Latest observation of the event loop; null when there is none. */
  readonly eventLoopDelay: {
    readonly max: Temporal.Duration;
    readonly mean: Temporal.Duration;
    readonly p99: Temporal.Duration;
  } | null;
  /** What each executor reports, by name. */
  readonly executors: JsonObject;
  readonly startedAt: Temporal.Instant;
  /** Time of the last heartbeat, by the database's clock. */
  readonly seenAt: Temporal.Instant;
  /** Whether that is no longer ago than three heartbeats, 30 s. */
  readonly live: boolean;
}

/**
 * Jobs that waited up to a time, and longer than the bucket before allows.
 *
 * @addition
 */
export interface FleetLatencyBucket {
  /** Null: any time longer than the bucket before. */
  readonly upTo: Temporal.Duration | null;
  readonly jobs: number;
}

/**
 * What all clients that run did in one minute, for one queue and kind.
 *
 * @addition
 */
export interface FleetMinute {
  readonly minute: Temporal.Instant;
  readonly queue: string;
  readonly kind: string;
  /** Jobs inserted by clients that run. */
  readonly inserted: number;
  readonly completed: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Attempts that began, by the time from when the job was due until it was claimed; ascending. */
  readonly latency: readonly FleetLatencyBucket[];
}

/**
 * How long jobs of one queue waited, over the last 15 minutes: from when they were due until they were claimed.
 *
 * @addition
 */
export interface FleetQueueLatency {
  readonly queue: string;
  /** Attempts that began. */
  readonly started: number;
  /** Half of them waited no longer than this; the end of a bucket, and null for more than an hour. */
  readonly p50: Temporal.Duration | null;
  readonly p95: Temporal.Duration | null;
  readonly p99: Temporal.Duration | null;
}

/**
 * Something that happened to a client or a queue.
 *
 * @addition
 */
export interface FleetAuditEntry {
  readonly id: bigint;
  readonly createdAt: Temporal.Instant;
  /** Who noticed it; null for entries of other programs. */
  readonly clientId: string | null;
  /** Who did it, for entries of other programs. */
  readonly actor: string | null;
  /** `client_started`, `client_stopped`, or the kind of an event about queues or leadership. */
  readonly action: string;
  /** Name of the queue, if it is about one. */
  readonly subject: string | null;
  readonly details: JsonObject;
}
