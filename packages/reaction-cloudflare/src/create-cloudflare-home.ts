/** The home on Cloudflare: D1 keeps the records, Queues carry the messages, KV keeps log entries and review marks. */
import type { AnalyticsStore, KeyValueStore, QueueSender, ReactionStore } from "@riverqueue/reaction";
import {
  ANALYTICS_EVENTS,
  ASYNC_LOGGER,
  ASYNC_POLICY_TASK,
  OptionProblems,
  SqlAnalyticsStore,
  SqlReactionStore,
} from "@riverqueue/reaction/home";
import type { CloudflareBindings } from "./bindings.ts";
import { createQueueSender } from "./create-queue-sender.ts";
import { D1SqlDatabase } from "./d1-sql-database.ts";
import { KvKeyValueStore } from "./kv-key-value-store.ts";

/** Options of {@link createCloudflareHome}. */
export interface CloudflareHomeOptions {
  /** Takes the place of the clock of D1, in tests. */
  readonly now?: (() => Date) | undefined;
}

/** What the home gives to `createReaction`, to be spread into its options. */
export interface CloudflareHome {
  readonly store: ReactionStore<never>;
  readonly queue: QueueSender;
  readonly keyValue: KeyValueStore;
  readonly loggerQueue: QueueSender;
  readonly analyticsQueue: QueueSender;
  readonly analyticsStore: AnalyticsStore;
  /** Actual names of the three queues, as the variables `*_QUEUE_NAME` have them. */
  readonly queueNames: Readonly<Record<string, string>>;
}

const SEND = "sendBatch";
/** Each binding and a method by which it is known. */
const BINDINGS: Readonly<Record<string, string>> = {
  ASYNC_POLICY_TASK_QUEUE: SEND,
  ASYNC_LOGGER_QUEUE: SEND,
  ANALYTICS_QUEUE: SEND,
  REACTION_DB: "batch",
  ANALYTICS_DB: "batch",
  REACTION_KV: "put",
};
const NAMES = ["ASYNC_POLICY_TASK_QUEUE_NAME", "ASYNC_LOGGER_QUEUE_NAME", "ANALYTICS_QUEUE_NAME"];

/**
 * Makes the home from the environment of a Worker: `env` of `cloudflare:workers`, or of a handler. Nothing is read or
 * written yet, so it can be made while the module loads.
 *
 * @throws ConfigurationError naming every binding and variable that is missing.
 */
export function createCloudflareHome(
  bindings: CloudflareBindings,
  options: CloudflareHomeOptions = {},
): CloudflareHome {
  const problems = new OptionProblems();
  const given = problems.object(options, "options", ["now"]);
  if (given["now"] !== undefined) problems.function(given["now"], "options.now");
  checkBindings(bindings, problems);
  problems.throwConfiguration();
  const { now } = options;
  return Object.freeze({
    store: new SqlReactionStore(new D1SqlDatabase(bindings.REACTION_DB), { now }),
    queue: createQueueSender(bindings.ASYNC_POLICY_TASK_QUEUE),
    keyValue: new KvKeyValueStore(bindings.REACTION_KV),
    loggerQueue: createQueueSender(bindings.ASYNC_LOGGER_QUEUE),
    analyticsQueue: createQueueSender(bindings.ANALYTICS_QUEUE),
    analyticsStore: new SqlAnalyticsStore(new D1SqlDatabase(bindings.ANALYTICS_DB), { now }),
    queueNames: Object.freeze({
      [ASYNC_POLICY_TASK]: bindings.ASYNC_POLICY_TASK_QUEUE_NAME,
      [ASYNC_LOGGER]: bindings.ASYNC_LOGGER_QUEUE_NAME,
      [ANALYTICS_EVENTS]: bindings.ANALYTICS_QUEUE_NAME,
    }),
  });
}

function checkBindings(bindings: unknown, problems: OptionProblems): void {
  const found = (typeof bindings === "object" && bindings !== null ? bindings : {}) as Readonly<
    Record<string, unknown>
  >;
  for (const [name, method] of Object.entries(BINDINGS)) {
    const binding = found[name] as Readonly<Record<string, unknown>> | null | undefined;
    if (typeof binding?.[method] !== "function") {
      problems.add(`bindings.${name}`, `must be bound by the configuration, to something with a method ${method}`);
    }
  }
  for (const name of NAMES) {
    if (typeof found[name] !== "string" || found[name] === "") {
      problems.add(`bindings.${name}`, "must be a variable with the queue's actual name");
    }
  }
}
