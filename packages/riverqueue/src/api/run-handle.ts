/** The handle of a started client. */
import type { JsonObject } from "../json/json-value.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import type { EventLoopDelayObservation, MaintenanceServiceName } from "../model/river-event.ts";
import type { DurationInput } from "../options/duration-input.ts";
import type { QueueConfig } from "./queue-config.ts";

/** Where a runtime is in its life. */
export type RunState = "failed" | "running" | "stopped" | "stopping";

/** How to stop. */
export interface StopOptions {
  /** `graceful` (default): running handlers finish. `cancel`: their signals abort at once. */
  readonly mode?: "cancel" | "graceful" | undefined;
  /** After this long a graceful stop becomes a cancel. Default: never. */
  readonly timeout?: DurationInput | undefined;
  /** Aborting it turns a graceful stop into a cancel. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings and pause flag of one queue of a runtime. */
export interface QueueRuntimeDiagnostics {
  readonly fetchCooldown: Temporal.Duration;
  readonly maxWorkers: number;
  readonly paused: boolean;
  readonly pollInterval: Temporal.Duration;
}

/** Leadership and maintenance as this client sees them. */
export interface MaintenanceDiagnostics {
  readonly isLeader: boolean;
  /** This client's current term, else null. */
  readonly leader: LeaderTerm | null;
  /** Text of the latest failure of an election or a service; null when the latest try succeeded. */
  readonly lastError: string | null;
  /** Passes finished per service since start. */
  readonly runs: Readonly<Record<MaintenanceServiceName, number>>;
}

/** A snapshot of a runtime. */
export interface RunDiagnostics {
  readonly activeAttempts: number;
  readonly clientId: string;
  /** Completions the pipeline still accepts before attempts must wait. */
  readonly completionCapacity: number;
  /** Completion statements running now. */
  readonly completionQueries: number;
  /** Latest observation; null before the first, and when monitoring is off. */
  readonly eventLoopDelay: EventLoopDelayObservation | null;
  /** What each executor reports about itself, by executor name. */
  readonly executors: Readonly<Record<string, JsonObject>>;
  /** Null when leader election is disabled. */
  readonly maintenance: MaintenanceDiagnostics | null;
  /** Completions accepted and not persisted yet. */
  readonly pendingCompletions: number;
  readonly queues: Readonly<Record<string, QueueRuntimeDiagnostics>>;
  readonly state: RunState;
}

/**
 * A started client. Keep it until shutdown and watch `completed`: when the runtime fails, that promise rejects, and an
 * ignored rejection is an unhandled rejection of the process.
 */
export interface RunHandle {
  /** Resolves after a requested stop, rejects after a failure; in both cases when all clean-up is done. */
  readonly completed: Promise<void>;
  readonly state: RunState;
  readonly diagnostics: RunDiagnostics;
  /**
   * Starts working a queue; resolves when its row is stored and its controls are loaded.
   *
   * @throws ConfigurationError for a bad name or config, and for a queue that is worked already; LifecycleError once a
   *   stop has begun.
   */
  addQueue(name: string, config: QueueConfig): Promise<void>;
  /**
   * Stops claiming from a queue, waits for its attempts and forgets it; false when it was not there.
   *
   * @throws LifecycleError once a stop has begun, and inside a job of the queue, which would wait for itself.
   */
  removeQueue(name: string): Promise<boolean>;
  /**
   * Replaces capacity and pacing of a queue; running attempts are never interrupted.
   *
   * @throws ConfigurationError for a bad config, and for a queue that is not worked; LifecycleError once a stop has begun.
   */
  updateQueue(name: string, config: QueueConfig): Promise<void>;
  /** Asks the leader of this database and schema, whoever it is, to resign. */
  requestLeadershipResignation(): Promise<void>;
  /**
   * Stops the runtime; every call shares one shutdown, and a later cancel or timeout may escalate it. Resolves when it
   * has finished, also after a failure. Inside a job or an `onEvent` hook of this client, which the shutdown waits for, it
   * resolves as soon as the shutdown has begun; watch `completed` from outside for its end.
   *
   * @throws ValidationError for bad options, without starting a stop.
   */
  stop(options?: StopOptions): Promise<void>;
  /** A graceful stop. */
  [Symbol.asyncDispose](): Promise<void>;
}
