// What each package exports, name by name. A name that is added, renamed or dropped by accident breaks somebody's
// program; here it breaks a test first.
import type { ListedSurface } from "./compare-surface.ts";

/** Names, in groups that are words of one text. */
function names(...groups: readonly string[]): string[] {
  return groups.flatMap((group) => group.split(" "));
}

/** By the name under which a module is imported. `riverqueue/driver` is missing on purpose: it is for drivers only. */
export const SURFACE: Readonly<Record<string, ListedSurface>> = {
  riverqueue: {
    values: names(
      // Clients and running
      "assertRuntimeSupport Client consoleLogger REINDEXER_INDEX_NAMES_DEFAULT",
      // Definitions and workers
      "defineJob isJobDefinition Workers",
      "cancel complete discard snooze currentWorkContext recordOutput setMetadata",
      // Periodic jobs
      "cron periodicJob",
      // Rows and defaults
      "JOB_STATE MAX_ATTEMPTS_DEFAULT PRIORITY_DEFAULT QUEUE_DEFAULT",
      // JSON
      "parseJson parseJsonObject stringifyJson toJsonObject toJsonValue",
      "exactJsonNumber isExactJsonNumber isJsonNumber jsonNumberToBigInt",
      "jobFromJsonValue jobToJsonValue",
      // Errors
      "RiverError RIVER_ERROR_CODE isRetryableError",
      "ConfigurationError ValidationError JsonValueError PayloadValidationError",
      "DatabaseOperationError MigrationError BackendMismatchError TransactionScopeError",
      "UnsupportedCapabilityError LifecycleError ExtensionError SubscriptionLagError",
      "JobAbortedError JobAttemptFinishedError JobCancelledError JobRunningError",
      "JobStuckError JobTimeoutError UnknownJobKindError",
    ),
    types: names(
      // Clients and running
      "Client ClientConstructor ClientDriver ClientOptions InsertClient DurationInput",
      "RegisteredTransaction RiverTransactionRegistry TransactionOptions DriverCapability",
      "RunHandle RunState StopOptions RunDiagnostics QueueConfig QueueRuntimeDiagnostics",
      "MaintenanceDiagnostics MaintenanceOptions ReindexerSchedule EventLoopDelayOptions",
      "Logger LogAttributes LogLevel WorkLogFunction WorkLogger",
      // Definitions
      "Job JobDefinition JobDefinitionArgs JobDefinitionInput JobDefinitionOptions",
      "DecoderJobDefinitionConfig SchemaJobDefinitionConfig UncheckedJobDefinitionConfig",
      "DecodedJobInput DefineJobWithInput JobDefinitionTypeError JsonCompatible",
      "StandardSchemaV1 StandardSchemaInput StandardSchemaIssue StandardSchemaOutput",
      "StandardSchemaResult",
      // Inserting
      "InsertOptions NormalizedInsertOptions UniqueOptions NormalizedUniqueOptions",
      "InsertResult InsertManyItem InsertManyResults CheckedInsertManyItems",
      "InsertContext InsertRequest InsertMiddleware",
      // Rows and operations
      "JobRow JobRowJson JobState AttemptError AttemptErrorJson QueueRow LeaderTerm",
      "JobOperations JobListOptions JobListOrderBy JobListResult SortDirection",
      "JobDeleteManyOptions JobUpdateOptions",
      "QueueOperations QueueListOptions QueueListResult QueueUpdateOptions",
      // Working
      "WorkHandler WorkHandlerFactory WorkContext CurrentWorkContext WorkExecution",
      "WorkerOptions NormalizedWorkerOptions WorkerRegistration",
      "InProcessWorkerRegistration ExecutorWorkerRegistration",
      "WorkOutcome CancelOutcome CompleteOutcome DiscardOutcome SnoozeOutcome",
      "WorkAttemptContext WorkAttemptResult ErrorHandlerContext ErrorHandlerResult",
      "RiverErrorHandler RetryPolicy Resumable ResumableCheckpointOptions",
      "JobStuckHandler JobStuckHandlerParams JobStuckHandlerResult",
      "WorkExecutor WorkExecutorAbortOptions WorkExecutorAbortResult WorkExecutorHandle",
      "WorkExecutorTarget",
      // Extending
      "RiverHooks RiverPlugin WorkerHooks WorkerPlugin WorkMiddleware",
      // Periodic jobs
      "CronOptions CronSchedule DurablePeriodicJob PeriodicJob PeriodicJobArgs",
      "PeriodicJobHandle PeriodicJobInsert PeriodicJobOptions PeriodicJobs",
      "PeriodicJobsStartParams PeriodicJobTiming PeriodicSchedule",
      // Events and metrics
      "EventSubscription SubscribedEvent SubscribeOptions",
      "RiverEvent RiverEventBase RiverEventKind JobEvent JobEventKind QueueEventKind",
      "JobStartedEvent JobCompletedEvent JobFailedEvent JobCancelledEvent JobSnoozedEvent",
      "JobInterruptedEvent JobRaceEvent JobStuckEvent QueueEvent QueueRemovedEvent",
      "LeaderEvent MaintenanceSucceededEvent MaintenanceFailedEvent MaintenanceServiceName",
      "EventLoopDelayEvent EventLoopDelayObservation SubscriptionLagEvent RiverMetric",
      // JSON
      "ExactJsonNumber JsonObject JsonValue",
      // Errors
      "RiverErrorCode RiverErrorOptions RiverErrorSubclassOptions PayloadValidationPhase",
      "DatabaseOperationErrorOptions MigrationErrorOptions TransactionScopeErrorReason",
    ),
    additions: names(
      "Client.inspect InspectOperations InspectOptions",
      "ClientLoad MinuteThroughput QueueDepth StateCount",
      "ClientOptions.fleet FleetOptions FleetAuditEntry FleetClient FleetLatencyBucket FleetMinute FleetQueueLatency",
      "ClientOptions.errorStacks",
      "CronOptions.onGap CronOptions.onRepeat",
      "InsertOptions.durability NormalizedInsertOptions.durability",
      "JobDefinition.deleteOnComplete JobDefinitionOptions.deleteOnComplete",
      "WorkerOptions.deleteOnComplete NormalizedWorkerOptions.deleteOnComplete",
      "Workers.executors Workers.get",
      "UniqueConflictError",
    ),
  },
  "@riverqueue/driver-sqlite": {
    values: names("SqliteDriver transaction"),
    types: names("SqliteDriverOptions SqliteTransactionOptions"),
    additions: [],
  },
  "@riverqueue/driver-pg": {
    values: names("PgDriver"),
    types: names("PgDriverOptions"),
    additions: names(
      "PgClient PgPool PgPoolClient PgTransaction",
      "PgDriverOptions.prepare PgDriverOptions.server PgServerKind",
    ),
  },
  "@riverqueue/migrate": {
    values: names("createMigrator loadMigrations MIGRATION_LINE_MAIN MigrationError"),
    types: names(
      "Migration MigrationBackend MigrationDirection",
      "Migrator MigratorOptions MigratorSource MigrateOptions MigrateResult MigrateVersion",
      "ValidateOptions ValidateResult",
      "MigrationTarget PgPoolMigrationTarget PgClientMigrationTarget SqliteMigrationTarget",
      "PgMigrationPool PgMigrationPoolClient PgMigrationClient PgMigrationQueryResult",
    ),
    additions: names("LoadMigrationsOptions MIGRATION_LINES MigrationLineName MigratorOptions.ginIndexes"),
  },
  "@riverqueue/worker-threads": {
    values: names("WorkerThreads WorkerThreadHandlerError"),
    types: names(
      "WorkerThreadsOptions WorkerThreadsDiagnostics",
      "WorkerThreadModule WorkerThreadExportName WorkerThreadHandlerTarget",
      "WorkerThreadWorkContext WorkerThreadWorkHandler",
    ),
    additions: [],
  },
  "@riverqueue/worker-threads/managed": {
    values: [],
    types: [],
    additions: names(
      "ManagedWorkerThreads ManagedWorkerThreadsOptions ThreadBreaker ThreadRecycling",
      "ManagedThreadClient ManagedThreadExportName ManagedThreadHandlerTarget",
      "ManagedThreadWorkContext ManagedThreadWorkHandler",
    ),
  },
  "@riverqueue/reaction": {
    values: names(
      "defineEvent defineCommand failed succeeded on createReaction resolveFetchWorkerCtx",
      "defineQueue createAsyncLogger consoleLogger readLogs ConfigurationError LifecycleError",
      "DeletedContentError MessageTooLargeError ReactionError StoredContentError ValidationError",
      // Classes of which only the types are exported; a report does not tell them from others.
      "Processor AlertRaiser ReactionOperations Analytics",
    ),
    types: names(
      "EventInput EventType EventTypeOptions ReactionEvent Command CommandContext",
      "CommandHandler CommandOptions PlannedCommand CommandOutcome Failed Succeeded Policy",
      "PolicyHandler SchemaInput SchemaOutput StandardSchemaIssue StandardSchemaResult",
      "StandardSchemaV1 DurationInput Reaction ReactionLogs ReactionOptions PaceOptions",
      "EmitResult EmitStatus EmittedCommand PendingEmitResult SweepResult",
      "FetchContext WorkerCtx WorkerEntry AttemptRecord CommandError CommandExecution",
      "CommandLease CommandMode CommandStatus EventExecution EventStatus JsonValue Alert",
      "AlertCode AlertHandler AlertSeverity AlertInput EventDetails OperatorOptions",
      "AlertFilter CommandFilter CreatedEvent DecideParams EventFilter",
      "LeaseHolder LeaseParams NewCommand NewEvent OpenedEvent OpenParams OperatorAction",
      "OperatorParams Page",
      "ReactionStore RetentionParams SettleParams StoredEvent SweptEvent WrittenCommand",
      "KeyValueListOptions KeyValuePage KeyValueStore QueueDefinition QueueOptions NamedQueue",
      "QueueEntry OutgoingMessage QueueBatch QueueMessage QueueSender AsyncLogger",
      "AsyncLoggerFigures AsyncLoggerOptions LogAttributes Logger LogLevel LogEntry LogPage",
      "LogRange TrackedEvent AnalyticsEvent AnalyticsStore DayCount DayRange",
      "RankedCount RankingOptions ReactionErrorCode ReactionErrorOptions",
    ),
    additions: names("QueueOptions.timeout"),
  },
  "@riverqueue/reaction/home": {
    values: names(
      "openHomeEntry presetFetchWorkerCtx delayToMs OptionProblems timeOrderedId",
      "ANALYTICS_EVENTS ASYNC_LOGGER ASYNC_POLICY_TASK createTimedReaction",
      "policyTask runBatch createQueueEntry isLogEntry",
      "splitMessages SqlAnalyticsStore SqlKeyValueStore SqlReactionStore",
    ),
    types: names(
      "HomeEntry WorkerCtxParts Gather Timing MessageVerdict ReceivedMessage SqlDatabase SqlRow SqlRunOptions",
      "SqlStatement SqlValue SqlStoreOptions",
    ),
    additions: [],
  },
  "@riverqueue/reaction/embedded": {
    values: names("createEmbeddedHome RetryMessageError"),
    types: names("EmbeddedHome EmbeddedHomeOptions EmbeddedHomeParts EmbeddedRegistration RuntimeDriver"),
    additions: names("EmbeddedHome.workerCtx EmbeddedHomeOptions.statementTimeout"),
  },
  "@riverqueue/reaction-cloudflare": {
    values: names("createCloudflareHome createQueueSender createWorker"),
    types: names(
      "CloudflareHome CloudflareHomeOptions CloudflareBindings CloudflareWorker WorkerOptions D1Binding",
      "D1StatementBinding KvBinding QueueBinding QueueBindingMessage DeliveredBatch DeliveredMessage",
      "ScheduledEvent WorkerExecutionContext",
    ),
    additions: [],
  },
  "@riverqueue/cli": {
    values: names("run"),
    types: names("RunOptions"),
    additions: [],
  },
};
