/** `client.inspect`: figures for dashboards and probes, bounded by limits and a statement deadline. */
import type { ClientLoad, MinuteThroughput, QueueDepth, StateCount } from "../driver/inspect-facet.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import type { DurationInput } from "../options/duration-input.ts";
import type { FleetAuditEntry, FleetClient, FleetMinute, FleetQueueLatency } from "./fleet-figures.ts";

/**
 * Bounds of one inspection.
 *
 * @addition
 */
export interface InspectOptions {
  /** Rows counted per figure before it says `about`, 1 to 1,000,000, default 10,000. */
  readonly cap?: number | undefined;
  /** Deadline of the statement, default 2 s. */
  readonly timeout?: DurationInput | undefined;
  /** Rows returned, 1 to 10,000, default 100. */
  readonly limit?: number | undefined;
}

/**
 * Figures about a database and schema. Each throws a retryable `DatabaseOperationError` past its deadline.
 *
 * @addition
 */
export interface InspectOperations {
  /** Jobs by state, every state present. */
  counts(options?: InspectOptions): Promise<readonly StateCount[]>;
  /** Backlog per queue, by name. */
  queues(options?: InspectOptions): Promise<readonly QueueDepth[]>;
  /** Jobs finalized per minute, newest first; `limit` minutes, default 60. */
  throughput(options?: InspectOptions): Promise<readonly MinuteThroughput[]>;
  /** Running jobs per client, busiest first. */
  clients(options?: InspectOptions): Promise<readonly ClientLoad[]>;
  /** The stored leadership term, or null. */
  leader(options?: InspectOptions): Promise<LeaderTerm | null>;
  /** Clients that work jobs, the one heard of last first. Null where the migration line `fleet` is not applied. */
  fleetClients(options?: InspectOptions): Promise<readonly FleetClient[] | null>;
  /** What was done by the minute, queue and kind, latest first. Null as above. */
  fleetMinutes(options?: InspectOptions): Promise<readonly FleetMinute[] | null>;
  /** How long jobs waited in the last 15 minutes, by queue. Null as above. */
  fleetLatency(options?: InspectOptions): Promise<readonly FleetQueueLatency[] | null>;
  /** What happened to clients and queues, latest first. Null as above. */
  fleetAudit(options?: InspectOptions): Promise<readonly FleetAuditEntry[] | null>;
}
