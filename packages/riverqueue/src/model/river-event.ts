/**
 * Events of a running client. Events about jobs are emitted after the database transition committed and carry the row
 * as it is then.
 */
import type { JobStuckError } from "./errors/job-stuck-error.ts";
import type { SubscriptionLagError } from "./errors/subscription-lag-error.ts";
import type { JobRow } from "./job-row.ts";
import type { LeaderTerm } from "./leader-term.ts";
import type { QueueRow } from "./queue-row.ts";

/** What every event has. */
export interface RiverEventBase {
  /** When the client noticed it. */
  readonly at: Temporal.Instant;
}

/** A claimed attempt begins. */
export interface JobStartedEvent extends RiverEventBase {
  readonly kind: "job_started";
  readonly job: JobRow;
}

/** A job was stored as `completed`. */
export interface JobCompletedEvent extends RiverEventBase {
  readonly kind: "job_completed";
  readonly job: JobRow;
}

/** An attempt failed; the job is `available` or `retryable` for its retry, or `discarded`. */
export interface JobFailedEvent extends RiverEventBase {
  readonly kind: "job_failed";
  readonly job: JobRow;
  /** What the attempt failed with; undefined for a discard without a reason. */
  readonly error: unknown;
}

/** A running job was stored as `cancelled`. */
export interface JobCancelledEvent extends RiverEventBase {
  readonly kind: "job_cancelled";
  readonly job: JobRow;
  readonly error?: unknown;
}

/** A job asked to run again later without counting the attempt. */
export interface JobSnoozedEvent extends RiverEventBase {
  readonly kind: "job_snoozed";
  readonly job: JobRow;
}

/** A stopping client gave a job back without counting the attempt. */
export interface JobInterruptedEvent extends RiverEventBase {
  readonly kind: "job_interrupted";
  readonly job: JobRow;
}

/** An attempt runs on past its timeout and the stuck threshold. */
export interface JobStuckEvent extends RiverEventBase {
  readonly kind: "job_stuck";
  readonly job: JobRow;
  readonly error: JobStuckError;
}

/** An attempt ended after its job had been claimed again; nothing of it was written. */
export interface JobRaceEvent extends RiverEventBase {
  readonly kind: "job_race";
  readonly job: JobRow;
}

/** Something happened to a queue that this client works. */
export interface QueueEvent extends RiverEventBase {
  readonly kind: "queue_added" | "queue_paused" | "queue_resumed" | "queue_updated" | "queue_reconfigured";
  readonly queue: QueueRow;
}

/** This client stopped working a queue. */
export interface QueueRemovedEvent extends RiverEventBase {
  readonly kind: "queue_removed";
  readonly queueName: string;
}

/** This client began or ended a term of leadership. */
export interface LeaderEvent extends RiverEventBase {
  readonly kind: "leader_acquired" | "leader_lost";
  readonly leader: LeaderTerm;
}

/** Services that the leader runs. */
export type MaintenanceServiceName =
  | "scheduler"
  | "rescuer"
  | "job_cleaner"
  | "queue_cleaner"
  | "notification_cleaner"
  | "reindexer"
  | "periodic";

/** A pass of a maintenance service succeeded. */
export interface MaintenanceSucceededEvent extends RiverEventBase {
  readonly kind: "maintenance_succeeded";
  readonly service: MaintenanceServiceName;
  /** Rows it acted on. */
  readonly count: number;
}

/** A pass of a maintenance service failed; the next is tried at its usual time. */
export interface MaintenanceFailedEvent extends RiverEventBase {
  readonly kind: "maintenance_failed";
  readonly service: MaintenanceServiceName;
  readonly error: unknown;
}

/** Delay of the event loop over one reporting interval. */
export interface EventLoopDelayObservation {
  readonly max: Temporal.Duration;
  readonly mean: Temporal.Duration;
  readonly p99: Temporal.Duration;
  /** Whether `max` was longer than the warning threshold. */
  readonly exceededThreshold: boolean;
}

/** The event loop was delayed beyond the warning threshold. */
export interface EventLoopDelayEvent extends RiverEventBase {
  readonly kind: "runtime_event_loop_delay";
  readonly eventLoopDelay: EventLoopDelayObservation;
}

/** A subscriber was too slow and lost its oldest events. */
export interface SubscriptionLagEvent extends RiverEventBase {
  readonly kind: "subscription_lag";
  readonly dropped: number;
  readonly error: SubscriptionLagError;
}

/** Events about one job. */
export type JobEvent =
  | JobStartedEvent
  | JobCompletedEvent
  | JobSnoozedEvent
  | JobInterruptedEvent
  | JobRaceEvent
  | JobFailedEvent
  | JobCancelledEvent
  | JobStuckEvent;

/** Any event, told apart by `kind`. */
export type RiverEvent =
  | JobEvent
  | QueueEvent
  | QueueRemovedEvent
  | LeaderEvent
  | MaintenanceSucceededEvent
  | MaintenanceFailedEvent
  | EventLoopDelayEvent
  | SubscriptionLagEvent;

/** Kind of any event. */
export type RiverEventKind = RiverEvent["kind"];
/** Kind of an event about one job. */
export type JobEventKind = JobEvent["kind"];
/** Kind of an event about a queue. */
export type QueueEventKind = QueueEvent["kind"] | QueueRemovedEvent["kind"];

/** All event kinds. */
export const RIVER_EVENT_KINDS: readonly RiverEventKind[] = Object.freeze([
  "job_started",
  "job_completed",
  "job_failed",
  "job_cancelled",
  "job_snoozed",
  "job_interrupted",
  "job_race",
  "job_stuck",
  "queue_added",
  "queue_removed",
  "queue_reconfigured",
  "queue_paused",
  "queue_resumed",
  "queue_updated",
  "leader_acquired",
  "leader_lost",
  "maintenance_succeeded",
  "maintenance_failed",
  "runtime_event_loop_delay",
  "subscription_lag",
] as const);
