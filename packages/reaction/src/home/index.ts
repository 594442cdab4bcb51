/**
 * The seam for homes: what the stores, queues and entries of a place to run in are made of. Applications do not need it.
 *
 * @packageDocumentation
 */
export { type HomeEntry, openHomeEntry } from "../context/open-home-entry.ts";
export type { WorkerCtxParts } from "../context/create-worker-ctx.ts";
export { presetFetchWorkerCtx } from "../context/resolve-fetch-worker-ctx.ts";
export { delayToMs } from "../kit/duration.ts";
export { OptionProblems } from "../kit/option-problems.ts";
export { timeOrderedId } from "../kit/time-ordered-id.ts";
export type { Timing } from "../kit/timing.ts";
export { isLogEntry } from "../logging/log-entry.ts";
export { ANALYTICS_EVENTS, ASYNC_LOGGER, ASYNC_POLICY_TASK } from "../processor/built-in-queues.ts";
export { createTimedReaction } from "../processor/create-reaction.ts";
export { policyTask } from "../processor/policy-task.ts";
export { type MessageVerdict, type ReceivedMessage, runBatch } from "../queues/batch-marks.ts";
export { createQueueEntry } from "../queues/queue-entry.ts";
export { splitMessages } from "../queues/split-messages.ts";
export type { SqlDatabase, SqlRow, SqlRunOptions, SqlStatement, SqlValue } from "../seam/sql-database.ts";
export { SqlAnalyticsStore } from "../sql/sql-analytics-store.ts";
export { SqlKeyValueStore } from "../sql/sql-key-value-store.ts";
export { SqlReactionStore } from "../sql/sql-reaction-store.ts";
export type { Gather, SqlStoreOptions } from "../sql/sql-terms.ts";
