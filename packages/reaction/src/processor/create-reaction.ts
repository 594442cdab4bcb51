/** Puts a processor, its queues and what operators need together. */
import { Analytics } from "../analytics/analytics.ts";
import type { Command } from "../definition/define-command.ts";
import type { Policy } from "../definition/policy.ts";
import { type DurationInput, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import { ownValue } from "../kit/own-value.ts";
import { systemTiming, type Timing } from "../kit/timing.ts";
import { createLoggerOf, type AsyncLogger, type AsyncLoggerOptions } from "../logging/async-logger.ts";
import { type LogPage, type LogRange, readLogs } from "../logging/read-logs.ts";
import type { AlertHandler } from "../model/alert.ts";
import type { QueueDefinition } from "../queues/define-queue.ts";
import { createQueueEntry, type NamedQueue, type QueueEntry } from "../queues/queue-entry.ts";
import type { AnalyticsStore } from "../seam/analytics-store.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import type { QueueSender } from "../seam/message-queue.ts";
import type { ReactionStore } from "../seam/reaction-store.ts";
import { AlertRaiser } from "./alert-raiser.ts";
import { boundedKeyValue, boundedQueue, boundedStore } from "./bounded-parts.ts";
import {
  ANALYTICS_EVENTS,
  analyticsEventsQueue,
  ASYNC_LOGGER,
  ASYNC_POLICY_TASK,
  asyncLoggerQueue,
  asyncPolicyTaskQueue,
} from "./built-in-queues.ts";
import { CommandRegistry } from "./command-registry.ts";
import { ReactionOperations } from "./operations.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { PACE_OPTIONS, type PaceOptions, readSettings } from "./processor-settings.ts";
import { Processor } from "./processor.ts";

/** Options of {@link createReaction}. A home brings the parts; see there. */
export interface ReactionOptions<Tx = unknown> extends PaceOptions {
  /** What events cause, made by `on`. */
  readonly policies: readonly Policy[];
  /** Commands that policies return only now and then, so that a consumer knows them all the same. */
  readonly commands?: readonly Command[] | undefined;
  readonly store: ReactionStore<Tx>;
  /** Sends to `async-policy-task`. */
  readonly queue: QueueSender;
  /** Told about every alert, beside the log and the store. */
  readonly alerts?: AlertHandler | undefined;
  /** For log entries and review marks. Without one a success that cannot be stored has nowhere to leave a mark. */
  readonly keyValue?: KeyValueStore | undefined;
  /** Sends to `async-logger`; needs `keyValue`. */
  readonly loggerQueue?: QueueSender | undefined;
  /** How long log entries are kept, at least 1 minute, default 30 days. */
  readonly logExpiry?: DurationInput | undefined;
  /** Sends to `analytics-events`; needs `analyticsStore`. */
  readonly analyticsQueue?: QueueSender | undefined;
  readonly analyticsStore?: AnalyticsStore | undefined;
  /** Messages of `async-policy-task` worked at the same time, 1 to 250, default 1. The embedded home counts per process. */
  readonly taskConcurrency?: number | undefined;
  /** Queues of the application, consumed beside the three. */
  readonly queues?: readonly QueueDefinition[] | undefined;
  /** Actual names by the name of the definition, where they differ. */
  readonly queueNames?: Readonly<Record<string, string>> | undefined;
}

/** Logging through `async-logger`. */
export interface ReactionLogs {
  /** A logger that sends its entries. One a process is enough. */
  createLogger(options?: Omit<AsyncLoggerOptions, "queue">): AsyncLogger;
  /** @throws ValidationError for a bad range, limit or cursor. */
  read(range: LogRange): Promise<LogPage>;
}

/** What {@link createReaction} makes. */
export interface Reaction<Tx = unknown> {
  readonly processor: Processor<Tx>;
  readonly operations: ReactionOperations;
  /** Null without `keyValue` and `loggerQueue`. */
  readonly logs: ReactionLogs | null;
  /** Null without `analyticsStore` and `analyticsQueue`. */
  readonly analytics: Analytics | null;
  /** The queues to consume, under their actual names. */
  readonly queues: readonly NamedQueue[];
  /** Consumes a batch of any of them, by its exact actual name. */
  readonly consume: QueueEntry;
  /** Raises alerts as the processor does. For homes. */
  readonly alerts: AlertRaiser;
  /** Milliseconds that a lease lasts, and so one delivery at most. For homes. */
  readonly leaseMs: number;
}

const KNOWN = [
  ...PACE_OPTIONS,
  "policies",
  "commands",
  "store",
  "queue",
  "alerts",
  "keyValue",
  "loggerQueue",
  "logExpiry",
  "analyticsQueue",
  "analyticsStore",
  "taskConcurrency",
  "queues",
  "queueNames",
];
const MONTH_MS = 30 * 86_400_000;

/**
 * Makes the one `reaction` of an application.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function createReaction<Tx = unknown>(options: ReactionOptions<Tx>): Reaction<Tx> {
  return createTimedReaction(options, systemTiming);
}

/** The same with timers of the caller's, for tests. */
export function createTimedReaction<Tx = unknown>(options: ReactionOptions<Tx>, timing: Timing): Reaction<Tx> {
  const problems = new OptionProblems();
  const given = problems.object(options, "options", KNOWN);
  const settings = readSettings(given, problems);
  const expiryMs = readDuration(problems, given["logExpiry"], "options.logExpiry", MONTH_MS, { minMs: 60_000 });
  const concurrency = problems.integer(given["taskConcurrency"], "options.taskConcurrency", 1, { min: 1, max: 250 });
  checkParts(given, problems);
  problems.throwConfiguration();
  const { store, queue, keyValue = null, analyticsStore = null } = options;
  const alerts = new AlertRaiser(store, options.alerts, timing);
  const registry = new CommandRegistry(options.policies, options.commands ?? [], settings.leaseMs);
  let owner: string | undefined;
  const parts: ProcessorParts<Tx> = {
    store: boundedStore(store, timing),
    queue: boundedQueue(queue, timing),
    keyValue: keyValue && boundedKeyValue(keyValue, timing),
    alerts,
    registry,
    settings,
    timing,
    // Made when first needed: Workers have no random values while a module loads.
    get owner() {
      return (owner ??= crypto.randomUUID());
    },
  };
  const processor = new Processor(parts, analyticsStore);
  const queues = nameQueues(
    [
      asyncPolicyTaskQueue(processor, concurrency),
      ...(keyValue === null ? [] : [asyncLoggerQueue(keyValue, alerts, Math.ceil(expiryMs / 1000))]),
      ...(analyticsStore === null ? [] : [analyticsEventsQueue(analyticsStore, alerts)]),
      ...(options.queues ?? []),
    ],
    options.queueNames ?? {},
  );
  return Object.freeze({
    processor,
    operations: new ReactionOperations(parts as ProcessorParts),
    logs: logsOf(options.loggerQueue, keyValue, timing),
    analytics:
      options.analyticsQueue === undefined || analyticsStore === null
        ? null
        : new Analytics(options.analyticsQueue, analyticsStore),
    queues,
    consume: createQueueEntry(queues, alerts),
    alerts,
    leaseMs: settings.leaseMs,
  });
}

function logsOf(queue: QueueSender | undefined, keyValue: KeyValueStore | null, timing: Timing): ReactionLogs | null {
  if (queue === undefined || keyValue === null) return null;
  return Object.freeze({
    createLogger: (options?: Omit<AsyncLoggerOptions, "queue">) => createLoggerOf(queue, options, timing),
    read: (range: LogRange) => readLogs(keyValue, range),
  });
}

function nameQueues(
  definitions: readonly QueueDefinition[],
  names: Readonly<Record<string, string>>,
): readonly NamedQueue[] {
  const named = definitions.map((definition) => ({
    definition,
    actualName: ownValue(names, definition.name) ?? definition.name,
  }));
  return Object.freeze(named);
}

function checkParts(given: Readonly<Record<string, unknown>>, problems: OptionProblems): void {
  const need = (name: string, method: string, optional: boolean): void => {
    if (optional && given[name] === undefined) return;
    if (!has(given[name], method)) problems.add(`options.${name}`, `must have a function ${method}`);
  };
  need("store", "createEvent", false);
  need("queue", "send", false);
  need("keyValue", "put", true);
  need("loggerQueue", "send", true);
  need("analyticsQueue", "send", true);
  need("analyticsStore", "write", true);
  if (given["alerts"] !== undefined) problems.function(given["alerts"], "options.alerts");
  const { policies, commands = [], queues = [], queueNames = {} } = given;
  listOf(policies, "policies", (policy) => has(policy, "decide"), "policies made by on()", problems);
  listOf(commands, "commands", (command) => has(command, "execute"), "commands made by defineCommand()", problems);
  listOf(queues, "queues", (queue) => has(queue, "consume"), "queues made by defineQueue()", problems);
  const known = [ASYNC_POLICY_TASK, ASYNC_LOGGER, ANALYTICS_EVENTS];
  const own = Array.isArray(queues)
    ? queues.map((queue) => String((queue as Partial<QueueDefinition> | null)?.name))
    : [];
  for (const name of own) {
    if (known.includes(name)) problems.add("options.queues", `must not have ${name}, which is built in`);
  }
  for (const [name, actual] of Object.entries(problems.object(queueNames, "options.queueNames", [...known, ...own]))) {
    if (typeof actual !== "string" || actual === "") problems.add(`options.queueNames.${name}`, "must be a name");
  }
}

function has(value: unknown, method: string): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[method] === "function"
  );
}

function listOf(
  value: unknown,
  name: string,
  fits: (item: unknown) => boolean,
  expected: string,
  problems: OptionProblems,
): void {
  if (!Array.isArray(value) || !value.every(fits)) problems.add(`options.${name}`, `must be a list of ${expected}`);
}
