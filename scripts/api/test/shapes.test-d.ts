/**
 * The fields of public types, and the calls that programs make, as the compiler sees them. Nothing here runs. It is
 * checked against the sources like every test, and against the built declarations by the consumer of the packages.
 */
import type { DatabaseSync } from "node:sqlite";
/* oxlint-disable no-new, no-shadow, typescript/no-floating-promises -- nothing here runs */
/* oxlint-disable typescript/no-unnecessary-type-parameters -- the comparison needs the unresolved parameter */
import { run, type RunOptions } from "@riverqueue/cli";
import { PgDriver, type PgDriverOptions, type PgTransaction } from "@riverqueue/driver-pg";
import type { SqliteDriver, SqliteDriverOptions, SqliteTransactionOptions } from "@riverqueue/driver-sqlite";
import type {
  Migration,
  MigrateResult,
  MigrateVersion,
  Migrator,
  MigratorOptions,
  PgMigrationPool,
  ValidateResult,
} from "@riverqueue/migrate";
import { Client as PostgresClient, Pool } from "pg";
import * as river from "riverqueue";
import type { Client, JobDefinition, JobRow, JsonObject, JsonValue, LeaderTerm, QueueRow } from "riverqueue";

/** `true` when two types are the same, `readonly` and optional included. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The type with every property spelt out, so that inherited and intersected ones compare. */
type Flat<T> = { [Key in keyof T]: T[Key] };
type Instant = Temporal.Instant;
type Duration = Temporal.Duration;

// Rows
interface Row<Args> {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  readonly state: river.JobState;
  readonly priority: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly args: Args;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
  readonly attemptedBy: readonly string[];
  readonly errors: readonly river.AttemptError[];
  readonly createdAt: Instant;
  readonly scheduledAt: Instant;
  readonly attemptedAt: Instant | null;
  readonly finalizedAt: Instant | null;
  readonly uniqueKey: Uint8Array | null;
  readonly uniqueStates: readonly river.JobState[] | null;
}
true satisfies Equal<Flat<JobRow>, Flat<Row<JsonObject>>>;
true satisfies Equal<Flat<JobRow<Date>>, Flat<Row<Date>>>;
type Count = JobDefinition<{ n: string }, { n: number }, "count">;
true satisfies Equal<Flat<river.Job<Count>>, Flat<Row<{ n: number }> & { readonly rawArgs: JsonObject }>>;
true satisfies Equal<
  river.JobState,
  "available" | "cancelled" | "completed" | "discarded" | "pending" | "retryable" | "running" | "scheduled"
>;
true satisfies Equal<
  Flat<river.AttemptError>,
  { readonly at: Instant; readonly attempt: number; readonly error: string; readonly trace: string }
>;
true satisfies Equal<keyof river.JobRowJson, keyof JobRow>;
true satisfies Equal<keyof river.AttemptErrorJson, keyof river.AttemptError>;
true satisfies Equal<
  Pick<river.JobRowJson, "createdAt" | "finalizedAt" | "id" | "uniqueKey">,
  {
    readonly createdAt: string;
    readonly finalizedAt: string | null;
    readonly id: string;
    readonly uniqueKey: string | null;
  }
>;
river.jobToJsonValue satisfies (job: JobRow) => river.JobRowJson;
true satisfies Equal<
  Flat<QueueRow>,
  {
    readonly name: string;
    readonly metadata: JsonObject;
    readonly createdAt: Instant;
    readonly updatedAt: Instant;
    readonly pausedAt: Instant | null;
  }
>;
true satisfies Equal<
  Flat<LeaderTerm>,
  { readonly leaderId: string; readonly electedAt: Instant; readonly expiresAt: Instant }
>;
true satisfies Equal<
  Flat<river.InsertResult<{ n: number }>>,
  { readonly job: JobRow<{ n: number }>; readonly status: "duplicate" | "inserted" }
>;
true satisfies Equal<
  Flat<river.JobListResult>,
  { readonly jobs: readonly JobRow[]; readonly nextCursor: string | null }
>;
true satisfies Equal<
  Flat<river.QueueListResult>,
  { readonly queues: readonly QueueRow[]; readonly nextCursor: string | null }
>;

// Options, by the names of their keys
true satisfies Equal<
  keyof river.InsertOptions,
  | "delay"
  | "durability"
  | "maxAttempts"
  | "metadata"
  | "pending"
  | "priority"
  | "queue"
  | "scheduledAt"
  | "tags"
  | "unique"
>;
true satisfies Equal<keyof river.NormalizedInsertOptions, keyof river.InsertOptions>;
true satisfies Equal<keyof river.UniqueOptions, "byArgs" | "byPeriod" | "byQueue" | "byState" | "excludeKind">;
true satisfies Equal<
  keyof river.ClientOptions,
  | "clientId"
  | "completionBatchSize"
  | "completionFlushInterval"
  | "defaultInsertOptions"
  | "errorHandler"
  | "errorStacks"
  | "eventLoopDelay"
  | "fetchCooldown"
  | "fetchOnlyKnownKinds"
  | "fleet"
  | "hooks"
  | "insertMiddleware"
  | "jobStuckThreshold"
  | "jobTimeout"
  | "leaderElectionDisabled"
  | "logger"
  | "maintenance"
  | "middleware"
  | "periodicJobs"
  | "plugins"
  | "pollOnly"
  | "queueControlPollInterval"
  | "queueHeartbeatInterval"
  | "queues"
  | "retryPolicy"
  | "stuckHandler"
  | "workers"
>;
true satisfies Equal<keyof river.QueueConfig, "fetchCooldown" | "maxWorkers" | "pollInterval">;
true satisfies Equal<keyof river.EventLoopDelayOptions, "reportInterval" | "resolution" | "warningThreshold">;
true satisfies Equal<
  keyof river.MaintenanceOptions,
  | "cancelledJobRetention"
  | "completedJobRetention"
  | "discardedJobRetention"
  | "electionInterval"
  | "jobCleanerInterval"
  | "jobCleanerTimeout"
  | "notificationCleanerInterval"
  | "notificationRetention"
  | "queueCleanerInterval"
  | "queueRetention"
  | "reindexerIndexNames"
  | "reindexerSchedule"
  | "reindexerTimeout"
  | "rescueAfter"
  | "rescuerInterval"
  | "schedulerInterval"
>;
true satisfies Equal<
  keyof river.JobListOptions,
  | "after"
  | "ids"
  | "kinds"
  | "limit"
  | "metadata"
  | "orderBy"
  | "priorities"
  | "queues"
  | "sortDirection"
  | "states"
  | "tagsAll"
  | "tagsAny"
>;
true satisfies Equal<river.JobListOrderBy, "finalizedAt" | "id" | "scheduledAt" | "time">;
true satisfies Equal<
  keyof river.JobDeleteManyOptions,
  "all" | "ids" | "kinds" | "limit" | "priorities" | "queues" | "states"
>;
true satisfies Equal<keyof river.JobUpdateOptions, "metadata" | "output">;
true satisfies Equal<keyof river.QueueListOptions, "after" | "limit">;
true satisfies Equal<keyof river.SubscribeOptions, "capacity" | "kinds" | "signal">;
true satisfies Equal<keyof river.StopOptions, "mode" | "signal" | "timeout">;
true satisfies Equal<NonNullable<river.StopOptions["mode"]>, "cancel" | "graceful">;
true satisfies Equal<
  keyof river.WorkerOptions,
  "deleteOnComplete" | "hooks" | "middleware" | "plugins" | "retryPolicy" | "timeout"
>;
true satisfies Equal<keyof river.CronOptions, "onGap" | "onRepeat" | "timeZone">;
true satisfies Equal<keyof SqliteDriverOptions, "busyTimeout">;
true satisfies Equal<keyof SqliteTransactionOptions, "busyTimeout">;

// Clients
true satisfies Equal<keyof river.InsertClient, "clientId" | "insert" | "insertMany">;
true satisfies Equal<
  keyof Client,
  | keyof river.InsertClient
  | "inspect"
  | "jobs"
  | "periodicJobs"
  | "queues"
  | "requestLeadershipResignation"
  | "start"
  | "subscribe"
>;
true satisfies Equal<
  keyof river.JobOperations<object>,
  "cancel" | "delete" | "deleteMany" | "get" | "list" | "retry" | "update"
>;
true satisfies Equal<keyof river.QueueOperations<object>, "get" | "list" | "pause" | "resume" | "update">;
true satisfies Equal<
  keyof river.InspectOperations,
  | "clients"
  | "counts"
  | "fleetAudit"
  | "fleetClients"
  | "fleetLatency"
  | "fleetMinutes"
  | "leader"
  | "queues"
  | "throughput"
>;
true satisfies Equal<keyof river.PeriodicJobs, "add" | "addMany" | "clear" | "remove" | "removeById" | "size">;
declare const client: Client<DatabaseSync>;
declare const tx: DatabaseSync;
declare const count: Count;
client.jobs.get(1n, { tx }) satisfies Promise<JobRow | null>;
client.jobs.cancel(1n) satisfies Promise<JobRow | null>;
client.jobs.retry(1n) satisfies Promise<JobRow | null>;
client.jobs.delete(1n) satisfies Promise<JobRow | null>;
client.jobs.update(1n, { metadata: { a: 1 }, output: null, tx }) satisfies Promise<JobRow | null>;
client.jobs.deleteMany({ all: true, tx }) satisfies Promise<JobRow[]>;
client.queues.pause("*", { tx }) satisfies Promise<QueueRow | null>;
client.queues.update("q", { metadata: {}, tx }) satisfies Promise<QueueRow | null>;
client.insert(count, { n: "1" }, { delay: { seconds: 5 }, tx }) satisfies Promise<river.InsertResult<{ n: string }>>;
client.insertMany([]) satisfies Promise<[]>;
client.insertMany([{ job: count, args: { n: "1" }, options: { priority: 2 } }], { tx }) satisfies Promise<
  [river.InsertResult<{ n: string }>]
>;
client.requestLeadershipResignation({ tx }) satisfies Promise<void>;
client.start() satisfies Promise<river.RunHandle>;
const narrowed = client.subscribe({ kinds: ["job_completed"], capacity: 1, signal: AbortSignal.abort() });
narrowed satisfies AsyncIterable<river.JobCompletedEvent | river.SubscriptionLagEvent>;
narrowed satisfies AsyncDisposable & Disposable;
// @ts-expect-error arguments are the input of the definition, not what its workers get
void client.insert(count, { n: 1 });

// The run handle
true satisfies Equal<
  keyof river.RunHandle,
  | "addQueue"
  | "completed"
  | "diagnostics"
  | "removeQueue"
  | "requestLeadershipResignation"
  | "state"
  | "stop"
  | "updateQueue"
  | typeof Symbol.asyncDispose
>;
true satisfies Equal<river.RunState, "failed" | "running" | "stopped" | "stopping">;
true satisfies Equal<
  Flat<river.RunDiagnostics>,
  {
    readonly activeAttempts: number;
    readonly clientId: string;
    readonly completionCapacity: number;
    readonly completionQueries: number;
    readonly eventLoopDelay: river.EventLoopDelayObservation | null;
    readonly executors: Readonly<Record<string, JsonObject>>;
    readonly maintenance: river.MaintenanceDiagnostics | null;
    readonly pendingCompletions: number;
    readonly queues: Readonly<Record<string, river.QueueRuntimeDiagnostics>>;
    readonly state: river.RunState;
  }
>;
true satisfies Equal<
  Flat<river.MaintenanceDiagnostics>,
  {
    readonly isLeader: boolean;
    readonly leader: LeaderTerm | null;
    readonly lastError: string | null;
    readonly runs: Readonly<Record<river.MaintenanceServiceName, number>>;
  }
>;
true satisfies Equal<
  Flat<river.QueueRuntimeDiagnostics>,
  {
    readonly fetchCooldown: Duration;
    readonly maxWorkers: number;
    readonly paused: boolean;
    readonly pollInterval: Duration;
  }
>;

// Working
true satisfies Equal<
  keyof river.WorkAttemptContext,
  "client" | "execution" | "job" | "logger" | "recordOutput" | "setMetadata" | "signal"
>;
true satisfies Equal<keyof river.ErrorHandlerContext, Exclude<keyof river.WorkAttemptContext, "setMetadata">>;
true satisfies Equal<
  keyof river.WorkContext<Count, DatabaseSync>,
  keyof river.WorkAttemptContext | "completeTx" | "resumable"
>;
true satisfies Equal<river.WorkContext<Count>["job"], river.Job<Count>>;
true satisfies Equal<Flat<river.WorkExecution>, { readonly attemptedBy: string; readonly startedAt: Instant }>;
true satisfies Equal<ReturnType<river.WorkHandler>, PromiseLike<river.WorkOutcome | void> | river.WorkOutcome | void>;
true satisfies Equal<river.WorkOutcome["type"], "cancel" | "complete" | "discard" | "snooze">;
river.complete({ output: 1 }) satisfies river.CompleteOutcome;
river.snooze({ seconds: 1 }) satisfies river.SnoozeOutcome;
river.discard({ reason: "r" }) satisfies river.DiscardOutcome;
river.cancel() satisfies river.CancelOutcome;
true satisfies Equal<keyof river.Resumable, "checkpoint" | "setCursor" | "step" | "stepWithCursor">;
true satisfies Equal<river.WorkAttemptResult["status"], "cancelled" | "failed" | "succeeded">;
({ status: "succeeded" }) satisfies river.WorkAttemptResult;
({ status: "failed", error: 1, cancel: true, output: 1, metadata: {} }) satisfies river.WorkAttemptResult;
({ status: "cancelled", error: 1 }) satisfies river.WorkAttemptResult;
new river.Workers()
  .add(count, ({ job }) => void job.args.n.toFixed(), { timeout: null })
  .add(count, { createWorkHandler: () => () => river.complete() }) satisfies river.Workers;
true satisfies Equal<
  Flat<river.JobStuckHandlerParams>,
  { readonly id: bigint; readonly kind: string; readonly queue: string; readonly totalStuckJobs: number }
>;
(() => ({ addWorkerSlot: true })) satisfies river.JobStuckHandler;
(() => ({ cancel: true })) satisfies river.RiverErrorHandler;
((job: JobRow, now: Instant) => now.add({ seconds: job.attempt })) satisfies river.RetryPolicy;
({
  name: "e",
  start: () => ({ result: Promise.resolve(undefined), abort: async () => ({ terminated: false }) }),
}) satisfies river.WorkExecutor;
true satisfies Equal<keyof river.WorkExecutorHandle, "abort" | "result" | "started">;
true satisfies Equal<keyof river.WorkExecutorTarget, "executor" | "handler">;

// Extending
true satisfies Equal<
  keyof river.RiverHooks,
  "afterInsert" | "afterWork" | "beforeInsert" | "beforeWork" | "onEvent" | "onMetric" | "onPeriodicJobsStart"
>;
true satisfies Equal<keyof river.RiverPlugin, "hooks" | "insertMiddleware" | "middleware" | "name">;
true satisfies Equal<keyof river.WorkerHooks, "afterWork" | "beforeWork">;
true satisfies Equal<keyof river.WorkerPlugin, "hooks" | "middleware" | "name">;
true satisfies Equal<
  Flat<river.InsertContext>,
  { readonly operation: "insert" | "insertMany"; readonly requests: readonly river.InsertRequest[] }
>;
true satisfies Equal<
  Flat<river.InsertRequest>,
  {
    readonly definition: JobDefinition | undefined;
    readonly kind: string;
    readonly queue: string;
    readonly args: JsonObject;
    readonly metadata: JsonObject;
    readonly priority: number;
    readonly maxAttempts: number;
    readonly scheduledAt: Instant;
    readonly state: river.JobState;
    readonly tags: readonly string[];
    readonly unique: boolean;
  }
>;
((_context, next) => next()) satisfies river.InsertMiddleware;
((_context, next) => next()) satisfies river.WorkMiddleware;
({
  afterInsert: (_context: river.InsertContext, results: river.InsertResult[]) => void results.length,
  onPeriodicJobsStart: ({ durableJobs, periodicJobs }) => void [durableJobs.length, periodicJobs.size],
}) satisfies river.RiverHooks;
true satisfies Equal<
  Flat<river.DurablePeriodicJob>,
  { readonly id: string; readonly createdAt: Instant; readonly updatedAt: Instant; readonly nextRunAt: Instant }
>;

// Periodic jobs
true satisfies Equal<keyof river.PeriodicJob, "construct" | "id" | "job" | "runOnStart" | "schedule">;
true satisfies Equal<river.PeriodicJob["id"], string | null>;
river.cron("@daily", { timeZone: "UTC" }) satisfies river.CronSchedule;
true satisfies Equal<keyof river.CronSchedule, "expression" | "next" | "timeZone">;
river.periodicJob({ job: count, every: { hours: 1 }, args: { n: "1" }, id: "hourly", runOnStart: true });
river.periodicJob({ job: count, schedule: river.cron("@daily"), construct: async () => null });
client.periodicJobs.add(river.periodicJob({ job: count, every: { hours: 1 }, args: { n: "1" } }));
client.periodicJobs.addMany([]) satisfies river.PeriodicJobHandle[];

// Events and metrics
interface EventFields {
  job_started: { job: JobRow };
  job_completed: { job: JobRow };
  job_snoozed: { job: JobRow };
  job_interrupted: { job: JobRow };
  job_race: { job: JobRow };
  job_failed: { job: JobRow; error: unknown };
  job_cancelled: { job: JobRow; error?: unknown };
  job_stuck: { job: JobRow; error: river.JobStuckError };
  queue_added: { queue: QueueRow };
  queue_paused: { queue: QueueRow };
  queue_resumed: { queue: QueueRow };
  queue_updated: { queue: QueueRow };
  queue_reconfigured: { queue: QueueRow };
  queue_removed: { queueName: string };
  leader_acquired: { leader: LeaderTerm };
  leader_lost: { leader: LeaderTerm };
  maintenance_succeeded: { service: river.MaintenanceServiceName; count: number };
  maintenance_failed: { service: river.MaintenanceServiceName; error: unknown };
  runtime_event_loop_delay: { eventLoopDelay: river.EventLoopDelayObservation };
  subscription_lag: { dropped: number; error: river.SubscriptionLagError };
}
type EventOf<Kind extends river.RiverEventKind, Event extends river.RiverEvent = river.RiverEvent> = Event extends {
  readonly kind: infer Own;
}
  ? Kind extends Own
    ? Omit<Event, "at" | "kind">
    : never
  : never;
true satisfies Equal<river.RiverEventKind, keyof EventFields>;
true satisfies Equal<
  { [Kind in river.RiverEventKind]: Flat<EventOf<Kind>> },
  { [Kind in keyof EventFields]: Flat<Readonly<EventFields[Kind]>> }
>;
true satisfies Equal<river.RiverEvent["at"], Instant>;
true satisfies Equal<river.JobEventKind, Extract<keyof EventFields, `job_${string}`>>;
true satisfies Equal<river.QueueEventKind, Extract<keyof EventFields, `queue_${string}`>>;
true satisfies Equal<
  river.MaintenanceServiceName,
  "job_cleaner" | "notification_cleaner" | "periodic" | "queue_cleaner" | "reindexer" | "rescuer" | "scheduler"
>;
true satisfies Equal<
  Flat<river.EventLoopDelayObservation>,
  { readonly max: Duration; readonly mean: Duration; readonly p99: Duration; readonly exceededThreshold: boolean }
>;
interface MetricFields {
  job_get_available_duration: { duration: Duration; queue: string };
  job_get_available_count: { count: number; queue: string };
  job_completion_requeued: { count: number };
  job_completion_dropped: { count: number };
  job_completion_degraded: { count: number };
}
type MetricOf<Name extends string, Metric extends river.RiverMetric = river.RiverMetric> = Metric extends {
  readonly name: infer Own;
}
  ? Name extends Own
    ? Omit<Metric, "name">
    : never
  : never;
true satisfies Equal<river.RiverMetric["name"], keyof MetricFields>;
true satisfies Equal<
  { [Name in river.RiverMetric["name"]]: Flat<MetricOf<Name>> },
  { [Name in keyof MetricFields]: Flat<Readonly<MetricFields[Name]>> }
>;

// JSON
river.parseJson("1") satisfies JsonValue;
river.parseJsonObject("{}") satisfies JsonObject;
river.toJsonValue(1) satisfies JsonValue;
river.toJsonObject({}) satisfies JsonObject;
river.stringifyJson({}) satisfies string;
river.jsonNumberToBigInt(river.exactJsonNumber("1")) satisfies bigint;
river.jobFromJsonValue({}) satisfies JobRow;

// Errors: the code of each class, its fields beside those of every error, and how it is made
interface ErrorFields {
  readonly code: river.RiverErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
}
true satisfies Equal<Flat<Omit<river.RiverError, keyof Error>>, Flat<ErrorFields>>;
true satisfies Equal<keyof river.RiverErrorSubclassOptions, "cause" | "details" | "retryable">;
true satisfies Equal<keyof river.RiverErrorOptions, "code" | keyof river.RiverErrorSubclassOptions>;
type Own<Class extends river.RiverError> = Flat<Omit<Class, Exclude<keyof ErrorFields, "code"> | keyof Error>>;
type Coded<Code extends string, Fields = object> = Flat<{ readonly code: Code } & Readonly<Fields>>;
true satisfies Equal<Own<river.ConfigurationError>, Coded<"configuration">>;
true satisfies Equal<Own<river.ValidationError>, Coded<"validation">>;
true satisfies Equal<Own<river.JsonValueError>, Coded<"validation", { path: string }>>;
new river.JsonValueError("$.a", "m") satisfies river.ValidationError;
true satisfies Equal<
  Own<river.PayloadValidationError>,
  Coded<"payload_validation", { kind: string; phase: "insert" | "work" }>
>;
new river.PayloadValidationError("k", "insert", "m", { cause: 1 });
true satisfies Equal<Own<river.DatabaseOperationError>, Coded<"database", { backend: string; operation: string }>>;
new river.DatabaseOperationError("m", { backend: "b", operation: "o", retryable: true });
true satisfies Equal<Own<river.MigrationError>, Coded<"migration", { backend: string; operation: string }>>;
new river.MigrationError("m", { backend: "b", operation: "o" });
true satisfies Equal<
  Own<river.UnsupportedCapabilityError>,
  Coded<"unsupported_capability", { backend: string; capability: river.DriverCapability }>
>;
new river.UnsupportedCapabilityError("b", "c", { message: "m" });
true satisfies Equal<Own<river.BackendMismatchError>, Coded<"backend_mismatch", { backend: string }>>;
new river.BackendMismatchError("b", "m");
true satisfies Equal<
  Own<river.TransactionScopeError>,
  Coded<"transaction_scope", { reason: "event_loop_turn" | "nested" | "no_transaction" | "reentrant" }>
>;
new river.TransactionScopeError("nested", "m");
true satisfies Equal<Own<river.LifecycleError>, Coded<"lifecycle">>;
true satisfies Equal<Own<river.ExtensionError>, Coded<"extension">>;
true satisfies Equal<Own<river.JobAbortedError>, Coded<"job_aborted", { jobId: bigint }>>;
true satisfies Equal<Own<river.JobAttemptFinishedError>, Coded<"job_attempt_finished", { jobId: bigint }>>;
true satisfies Equal<Own<river.JobCancelledError>, Coded<"job_cancelled", { jobId: bigint }>>;
true satisfies Equal<Own<river.JobRunningError>, Coded<"job_running", { jobId: bigint }>>;
new river.JobRunningError(1n, { cause: 1 });
true satisfies Equal<Own<river.JobTimeoutError>, Coded<"job_timeout", { jobId: bigint; timeout: Duration }>>;
true satisfies Equal<
  Own<river.JobStuckError>,
  Coded<"job_stuck", { jobId: bigint; timeout: Duration; threshold: Duration }>
>;
new river.JobStuckError(1n, new Temporal.Duration(), new Temporal.Duration());
true satisfies Equal<Own<river.UnknownJobKindError>, Coded<"unknown_job_kind", { kind: string }>>;
new river.UnknownJobKindError("k");
true satisfies Equal<Own<river.SubscriptionLagError>, Coded<"subscription_lag", { dropped: number }>>;
new river.SubscriptionLagError(1);
true satisfies Equal<Own<river.UniqueConflictError>, Coded<"unique_conflict", { holderId: bigint | null }>>;

// Constants
true satisfies Equal<(typeof river.JOB_STATE)[keyof typeof river.JOB_STATE], river.JobState>;
true satisfies Equal<(typeof river.RIVER_ERROR_CODE)[keyof typeof river.RIVER_ERROR_CODE], river.RiverErrorCode>;
river.RIVER_ERROR_CODE.jobAttemptFinished satisfies "job_attempt_finished";
25 satisfies typeof river.MAX_ATTEMPTS_DEFAULT;
1 satisfies typeof river.PRIORITY_DEFAULT;
"default" satisfies typeof river.QUEUE_DEFAULT;

// Drivers and migrations
declare const driver: SqliteDriver;
driver satisfies river.ClientDriver<DatabaseSync>;
driver.connect() satisfies DatabaseSync;
driver satisfies Disposable;
new river.Client(driver) satisfies Client<DatabaseSync>;
true satisfies Equal<keyof PgDriverOptions, "prepare" | "schema" | "server">;
new river.Client(new PgDriver(new Pool(), { schema: "jobs", prepare: false })) satisfies Client<PgTransaction>;
new PgDriver(new PostgresClient());
new PostgresClient() satisfies PgTransaction;
new Pool() satisfies PgMigrationPool;
true satisfies Equal<keyof RunOptions, "migrationLines" | "program" | "stderr" | "stdin" | "stdout">;
run(["version"], { migrationLines: { own: () => [] }, stdout: process.stdout }) satisfies Promise<number>;
true satisfies Equal<
  keyof Migrator,
  "backend" | "existingVersions" | "line" | "migrateDown" | "migrateUp" | "migrations" | "validate"
>;
true satisfies Equal<keyof MigratorOptions, "ginIndexes" | "line" | "migrations">;
true satisfies Equal<Flat<MigrateResult>, { readonly direction: "down" | "up"; readonly versions: MigrateVersion[] }>;
true satisfies Equal<
  Flat<MigrateVersion>,
  { readonly version: number; readonly name: string; readonly sql: string; readonly duration: Duration }
>;
true satisfies Equal<Flat<ValidateResult>, { readonly ok: boolean; readonly messages: string[] }>;
true satisfies Equal<
  Flat<Migration>,
  { readonly version: number; readonly name: string; readonly upSql: string; readonly downSql: string }
>;
