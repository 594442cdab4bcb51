/** Options of a client. `resolveClientOptions` checks and completes them. */
import type { PeriodicJob } from "../api/periodic-jobs.ts";
import type { QueueConfig } from "../api/queue-config.ts";
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { InsertOptions } from "../definition/insert-options.ts";
import type { ExtensionOptions } from "../extend/river-hooks.ts";
import type { FleetOptions } from "../fleet/fleet-settings.ts";
import type { Logger } from "../kit/logger.ts";
import type { MaintenanceOptions } from "../maintenance/maintenance-options.ts";
import type { DurationInput } from "../options/duration-input.ts";
import type { EventLoopDelayOptions } from "../runtime/event-loop-delay-options.ts";
import type { RiverErrorHandler } from "../work/error-handler.ts";
import type { JobStuckHandler } from "../work/job-stuck-handler.ts";
import type { RetryPolicy } from "../work/retry-policy.ts";
import type { Workers } from "../work/workers.ts";

/**
 * See the file header. Every option may be left out; an unknown one is refused. Hooks, middleware and plugins are
 * described by `ExtensionOptions`.
 */
export interface ClientOptions<Tx = RegisteredTransaction> extends ExtensionOptions<Tx> {
  /** Names this client in rows and leadership; at most 100 characters, unique among live clients. Default: generated. */
  readonly clientId?: string | undefined;
  /** Completions per statement, 1 to 10,000, default 1,000. */
  readonly completionBatchSize?: number | undefined;
  /** Longest wait of a part-filled batch of completions, default 50 ms; 0 stores at once. */
  readonly completionFlushInterval?: DurationInput | undefined;
  /** Insert options used where neither the call nor the definition names one. */
  readonly defaultInsertOptions?: InsertOptions | undefined;
  /** Told about every failed attempt; may ask to cancel the job. */
  readonly errorHandler?: RiverErrorHandler<Tx> | undefined;
  /**
   * Whose stacks are stored with attempt errors: those of runtime faults (`faults`, default) or all (`always`).
   *
   * @addition
   */
  readonly errorStacks?: "always" | "faults" | undefined;
  /** Monitoring of the event loop; `false` switches it off. */
  readonly eventLoopDelay?: EventLoopDelayOptions | false | undefined;
  /** Shortest time between two claims of a queue that sets none, and period of the notice limiter; default 100 ms. */
  readonly fetchCooldown?: DurationInput | undefined;
  /** Claim only kinds that have a worker when the client starts. Default false: an unknown kind fails its attempt. */
  readonly fetchOnlyKnownKinds?: boolean | undefined;
  /**
   * Heartbeat, counts by the minute and audit trail of this client, where the migration line `fleet` is applied; `false`
   * switches them off.
   *
   * @addition
   */
  readonly fleet?: FleetOptions | false | undefined;
  /** Time after timeout or abort at which an attempt counts as stuck and a thread is terminated; default 10 s. */
  readonly jobStuckThreshold?: DurationInput | undefined;
  /** Time a handler may take unless its worker sets another; default 1 min; `null` for no limit. */
  readonly jobTimeout?: DurationInput | null | undefined;
  /** Never lead. Some other client on the database must be able to. */
  readonly leaderElectionDisabled?: boolean | undefined;
  /** Receives log entries, pino order; default the console for warnings and errors; `false` silences. */
  readonly logger?: Logger | false | undefined;
  /** Settings of the services that the leader runs. */
  readonly maintenance?: MaintenanceOptions | undefined;
  readonly periodicJobs?: readonly PeriodicJob[] | undefined;
  /** Never listen for notices; everything is found by polling. */
  readonly pollOnly?: boolean | undefined;
  /** How often pause flags and cancellations are read, default 2 s. */
  readonly queueControlPollInterval?: DurationInput | undefined;
  /** How often the rows of worked queues are kept alive, default 10 min. */
  readonly queueHeartbeatInterval?: DurationInput | undefined;
  /** Queues to work, by name. */
  readonly queues?: Readonly<Record<string, QueueConfig>> | undefined;
  /** When a failed job runs again, unless its worker decides; default fourth power of the errors so far, in seconds. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Told about stuck attempts; may ask for another worker slot. */
  readonly stuckHandler?: JobStuckHandler | undefined;
  /** Handlers by kind. Any `Workers` fits, also one built without naming its transaction type. */
  // oxlint-disable-next-line typescript/no-explicit-any -- see above: the transaction type is checked at each handler
  readonly workers?: Workers<any> | undefined;
}
