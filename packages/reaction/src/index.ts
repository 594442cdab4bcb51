/**
 * Reaction: business events, stored once, and the commands they cause. Uses web-standard APIs only; where things are kept
 * and queued is the part of a home, such as `@riverqueue/reaction/embedded`.
 *
 * @packageDocumentation
 */

// Defining
export { defineEvent } from "./definition/define-event.ts";
export type { EventInput, EventType, EventTypeOptions, ReactionEvent } from "./definition/define-event.ts";
export { defineCommand } from "./definition/define-command.ts";
export type {
  Command,
  CommandContext,
  CommandHandler,
  CommandOptions,
  PlannedCommand,
} from "./definition/define-command.ts";
export { failed, succeeded } from "./definition/outcome.ts";
export type { CommandOutcome, Failed, Succeeded } from "./definition/outcome.ts";
export { on } from "./definition/policy.ts";
export type { Policy, PolicyHandler } from "./definition/policy.ts";
export type {
  SchemaInput,
  SchemaOutput,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
} from "./definition/standard-schema.ts";
export type { DurationInput } from "./kit/duration.ts";

// Running
export { createReaction } from "./processor/create-reaction.ts";
export type { Reaction, ReactionLogs, ReactionOptions } from "./processor/create-reaction.ts";
export type { PaceOptions } from "./processor/processor-settings.ts";
export type { Processor } from "./processor/processor.ts";
export type { EmitResult, EmitStatus, EmittedCommand, PendingEmitResult } from "./processor/emit-result.ts";
export type { SweepResult } from "./processor/sweeper.ts";
export { resolveFetchWorkerCtx } from "./context/resolve-fetch-worker-ctx.ts";
export type { FetchContext } from "./context/resolve-fetch-worker-ctx.ts";
export type { WorkerCtx, WorkerEntry } from "./context/worker-ctx.ts";

// Records and what operators do
export type {
  AttemptRecord,
  CommandError,
  CommandExecution,
  CommandLease,
  CommandMode,
  CommandStatus,
} from "./model/command-execution.ts";
export type { EventExecution, EventStatus } from "./model/event-execution.ts";
export type { JsonValue } from "./model/json-value.ts";
export type { Alert, AlertCode, AlertHandler, AlertSeverity } from "./model/alert.ts";
export type { AlertInput, AlertRaiser } from "./processor/alert-raiser.ts";
export type { EventDetails, OperatorOptions, ReactionOperations } from "./processor/operations.ts";
export type {
  AlertFilter,
  CommandFilter,
  CreatedEvent,
  DecideParams,
  EventFilter,
  LeaseHolder,
  LeaseParams,
  NewCommand,
  NewEvent,
  OpenedEvent,
  OpenParams,
  OperatorAction,
  OperatorParams,
  Page,
  ReactionStore,
  RetentionParams,
  SettleParams,
  StoredEvent,
  SweptEvent,
  WrittenCommand,
} from "./seam/reaction-store.ts";
export type { KeyValueListOptions, KeyValuePage, KeyValueStore } from "./seam/key-value-store.ts";

// Queues
export { defineQueue } from "./queues/define-queue.ts";
export type { QueueDefinition, QueueOptions } from "./queues/define-queue.ts";
export type { NamedQueue, QueueEntry } from "./queues/queue-entry.ts";
export type { OutgoingMessage, QueueBatch, QueueMessage, QueueSender } from "./seam/message-queue.ts";

// Logging and analytics
export { createAsyncLogger } from "./logging/async-logger.ts";
export type { AsyncLogger, AsyncLoggerFigures, AsyncLoggerOptions } from "./logging/async-logger.ts";
export { consoleLogger } from "./logging/logger.ts";
export type { LogAttributes, Logger, LogLevel } from "./logging/logger.ts";
export type { LogEntry } from "./logging/log-entry.ts";
export { readLogs } from "./logging/read-logs.ts";
export type { LogPage, LogRange } from "./logging/read-logs.ts";
export type { Analytics, TrackedEvent } from "./analytics/analytics.ts";
export type {
  AnalyticsEvent,
  AnalyticsStore,
  DayCount,
  DayRange,
  RankedCount,
  RankingOptions,
} from "./seam/analytics-store.ts";

// Errors
export { ConfigurationError } from "./model/configuration-error.ts";
export { DeletedContentError } from "./model/deleted-content-error.ts";
export { LifecycleError } from "./model/lifecycle-error.ts";
export { MessageTooLargeError } from "./model/message-too-large-error.ts";
export { ReactionError, type ReactionErrorCode, type ReactionErrorOptions } from "./model/reaction-error.ts";
export { StoredContentError } from "./model/stored-content-error.ts";
export { ValidationError } from "./model/validation-error.ts";
