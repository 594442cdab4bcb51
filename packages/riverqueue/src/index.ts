/**
 * River for JavaScript: background jobs on Postgres or SQLite, shared with River clients in other languages.
 *
 * @packageDocumentation
 */

// Clients
export { Client, type ClientConstructor } from "./client/river-client.ts";
export type { ClientOptions } from "./client/client-options.ts";
export type { InsertClient } from "./api/client.ts";
export type { ClientDriver } from "./driver/driver.ts";
export type { RegisteredTransaction, RiverTransactionRegistry } from "./api/registered-transaction.ts";
export { assertRuntimeSupport } from "./kit/runtime-support.ts";
export type { DurationInput } from "./options/duration-input.ts";
export { consoleLogger } from "./kit/logger.ts";
export type { LogAttributes, Logger, LogLevel, WorkLogFunction, WorkLogger } from "./kit/logger.ts";

// Running
export type {
  MaintenanceDiagnostics,
  QueueRuntimeDiagnostics,
  RunDiagnostics,
  RunHandle,
  RunState,
  StopOptions,
} from "./api/run-handle.ts";
export type { QueueConfig } from "./api/queue-config.ts";
export type { EventLoopDelayOptions } from "./runtime/event-loop-delay-options.ts";
export type { FleetOptions } from "./fleet/fleet-settings.ts";
export { REINDEXER_INDEX_NAMES_DEFAULT } from "./maintenance/maintenance-options.ts";
export type { MaintenanceOptions, ReindexerSchedule } from "./maintenance/maintenance-options.ts";

// Job definitions
export { defineJob } from "./definition/define-job.ts";
export type { DecodedJobInput, DefineJobWithInput } from "./definition/define-job.ts";
export { isJobDefinition } from "./definition/is-job-definition.ts";
export type { Job, JobDefinition, JobDefinitionArgs, JobDefinitionInput } from "./definition/job-definition.ts";
export type {
  DecoderJobDefinitionConfig,
  JobDefinitionOptions,
  SchemaJobDefinitionConfig,
  UncheckedJobDefinitionConfig,
} from "./definition/job-definition-config.ts";
export type { JobDefinitionTypeError, JsonCompatible } from "./definition/json-compatible.ts";
export type {
  StandardSchemaInput,
  StandardSchemaIssue,
  StandardSchemaOutput,
  StandardSchemaResult,
  StandardSchemaV1,
} from "./definition/standard-schema.ts";

// Inserting
export type { InsertOptions, NormalizedInsertOptions } from "./definition/insert-options.ts";
export type { NormalizedUniqueOptions, UniqueOptions } from "./definition/unique-options.ts";
export type { InsertContext, InsertMiddleware, InsertRequest } from "./insert/insert-context.ts";
export type { CheckedInsertManyItems, InsertManyItem, InsertManyResults } from "./insert/insert-many.ts";
export type { InsertResult } from "./insert/insert-result.ts";
export type { TransactionOptions } from "./insert/transaction-options.ts";

// Jobs and queues
export { JOB_STATE, type JobState } from "./model/job-state.ts";
export { MAX_ATTEMPTS_DEFAULT, PRIORITY_DEFAULT, QUEUE_DEFAULT } from "./model/defaults.ts";
export type { AttemptError } from "./model/attempt-error.ts";
export type { JobRow } from "./model/job-row.ts";
export type { QueueRow } from "./model/queue-row.ts";
export type { LeaderTerm } from "./model/leader-term.ts";
export { jobFromJsonValue } from "./model/job-from-json-value.ts";
export { jobToJsonValue } from "./model/job-to-json-value.ts";
export type { AttemptErrorJson, JobRowJson } from "./model/job-to-json-value.ts";
export type {
  JobDeleteManyOptions,
  JobListOptions,
  JobListOrderBy,
  JobListResult,
  JobOperations,
  JobUpdateOptions,
  SortDirection,
} from "./api/job-operations.ts";
export type { QueueListOptions, QueueListResult, QueueOperations, QueueUpdateOptions } from "./api/queue-operations.ts";
export type {
  FleetAuditEntry,
  FleetClient,
  FleetLatencyBucket,
  FleetMinute,
  FleetQueueLatency,
} from "./api/fleet-figures.ts";
export type { InspectOperations, InspectOptions } from "./api/inspect-operations.ts";
export type { ClientLoad, MinuteThroughput, QueueDepth, StateCount } from "./driver/inspect-facet.ts";

// Working
export { Workers } from "./work/workers.ts";
export type { NormalizedWorkerOptions, WorkerOptions } from "./work/worker-options.ts";
export type {
  ExecutorWorkerRegistration,
  InProcessWorkerRegistration,
  WorkerRegistration,
} from "./work/worker-registration.ts";
export { cancel, complete, discard, snooze } from "./work/outcome.ts";
export type { CancelOutcome, CompleteOutcome, DiscardOutcome, SnoozeOutcome, WorkOutcome } from "./work/outcome.ts";
export { currentWorkContext, recordOutput, setMetadata } from "./work/current-work-context.ts";
export type {
  CurrentWorkContext,
  ErrorHandlerContext,
  WorkAttemptContext,
  WorkContext,
  WorkExecution,
} from "./work/work-context.ts";
export type { WorkHandler, WorkHandlerFactory } from "./work/work-handler.ts";
export type { WorkAttemptResult } from "./work/work-result.ts";
export type { WorkerHooks, WorkerPlugin, WorkMiddleware } from "./work/work-middleware.ts";
export type {
  WorkExecutor,
  WorkExecutorAbortOptions,
  WorkExecutorAbortResult,
  WorkExecutorHandle,
  WorkExecutorTarget,
} from "./work/work-executor.ts";
export type { ErrorHandlerResult, RiverErrorHandler } from "./work/error-handler.ts";
export type { JobStuckHandler, JobStuckHandlerParams, JobStuckHandlerResult } from "./work/job-stuck-handler.ts";
export type { RetryPolicy } from "./work/retry-policy.ts";
export type { Resumable, ResumableCheckpointOptions } from "./work/resumable.ts";

// Extending
export type { RiverHooks, RiverPlugin } from "./extend/river-hooks.ts";

// Periodic jobs
export { cron } from "./periodic/cron.ts";
export type { CronOptions, CronSchedule } from "./periodic/cron.ts";
export { periodicJob } from "./periodic/periodic-job.ts";
export type { PeriodicJobArgs, PeriodicJobOptions, PeriodicJobTiming } from "./periodic/periodic-job.ts";
export type {
  DurablePeriodicJob,
  PeriodicJob,
  PeriodicJobHandle,
  PeriodicJobInsert,
  PeriodicJobs,
  PeriodicJobsStartParams,
  PeriodicSchedule,
} from "./api/periodic-jobs.ts";

// Events and metrics
export type { EventSubscription, SubscribedEvent, SubscribeOptions } from "./api/event-subscription.ts";
export type {
  EventLoopDelayEvent,
  EventLoopDelayObservation,
  JobCancelledEvent,
  JobCompletedEvent,
  JobEvent,
  JobEventKind,
  JobFailedEvent,
  JobInterruptedEvent,
  JobRaceEvent,
  JobSnoozedEvent,
  JobStartedEvent,
  JobStuckEvent,
  LeaderEvent,
  MaintenanceFailedEvent,
  MaintenanceServiceName,
  MaintenanceSucceededEvent,
  QueueEvent,
  QueueEventKind,
  QueueRemovedEvent,
  RiverEvent,
  RiverEventBase,
  RiverEventKind,
  SubscriptionLagEvent,
} from "./model/river-event.ts";
export type { RiverMetric } from "./model/river-metric.ts";

// JSON
export { exactJsonNumber, isExactJsonNumber, isJsonNumber, jsonNumberToBigInt } from "./json/exact-json-number.ts";
export type { ExactJsonNumber, JsonObject, JsonValue } from "./json/json-value.ts";
export { parseJson, parseJsonObject } from "./json/parse-json.ts";
export { stringifyJson } from "./json/stringify-json.ts";
export { toJsonObject, toJsonValue } from "./json/to-json-value.ts";

// Errors
export { BackendMismatchError } from "./model/errors/backend-mismatch-error.ts";
export { ConfigurationError } from "./model/errors/configuration-error.ts";
export { DatabaseOperationError, type DatabaseOperationErrorOptions } from "./model/errors/database-operation-error.ts";
export { ExtensionError } from "./model/errors/extension-error.ts";
export { isRetryableError } from "./model/errors/is-retryable-error.ts";
export { JobAbortedError } from "./model/errors/job-aborted-error.ts";
export { JobAttemptFinishedError } from "./model/errors/job-attempt-finished-error.ts";
export { JobCancelledError } from "./model/errors/job-cancelled-error.ts";
export { JobRunningError } from "./model/errors/job-running-error.ts";
export { JobStuckError } from "./model/errors/job-stuck-error.ts";
export { JobTimeoutError } from "./model/errors/job-timeout-error.ts";
export { JsonValueError } from "./model/errors/json-value-error.ts";
export { LifecycleError } from "./model/errors/lifecycle-error.ts";
export { MigrationError, type MigrationErrorOptions } from "./model/errors/migration-error.ts";
export { PayloadValidationError, type PayloadValidationPhase } from "./model/errors/payload-validation-error.ts";
export { RIVER_ERROR_CODE, type RiverErrorCode } from "./model/errors/river-error-code.ts";
export { RiverError, type RiverErrorOptions, type RiverErrorSubclassOptions } from "./model/errors/river-error.ts";
export { SubscriptionLagError } from "./model/errors/subscription-lag-error.ts";
export { TransactionScopeError, type TransactionScopeErrorReason } from "./model/errors/transaction-scope-error.ts";
export { UniqueConflictError } from "./model/errors/unique-conflict-error.ts";
export { UnknownJobKindError } from "./model/errors/unknown-job-kind-error.ts";
export { type DriverCapability, UnsupportedCapabilityError } from "./model/errors/unsupported-capability-error.ts";
export { ValidationError } from "./model/errors/validation-error.ts";
