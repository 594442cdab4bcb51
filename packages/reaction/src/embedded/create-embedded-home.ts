/** The home inside of a River client: its database keeps the records, and its queues carry the messages. */
import { defineJob, type PeriodicJob, periodicJob, type QueueConfig, type WorkContext, type Workers } from "riverqueue";
import { createWorkerCtx } from "../context/create-worker-ctx.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { LONGEST_TIMER_MS, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import { ownValue } from "../kit/own-value.ts";
import { consoleLogger, type Logger } from "../logging/logger.ts";
import { ANALYTICS_EVENTS, ASYNC_LOGGER, ASYNC_POLICY_TASK } from "../processor/built-in-queues.ts";
import type { Reaction } from "../processor/create-reaction.ts";
import type { QueueDefinition } from "../queues/define-queue.ts";
import type { AnalyticsStore } from "../seam/analytics-store.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import type { QueueSender } from "../seam/message-queue.ts";
import type { ReactionStore } from "../seam/reaction-store.ts";
import { SqlAnalyticsStore } from "../sql/sql-analytics-store.ts";
import { SqlKeyValueStore } from "../sql/sql-key-value-store.ts";
import { SqlReactionStore } from "../sql/sql-reaction-store.ts";
import { gatherCalls } from "./call-gatherer.ts";
import { EmbeddedDatabase } from "./embedded-database.ts";
import { IdleSweep } from "./idle-sweep.ts";
import { MESSAGE_KIND, MessageInserter } from "./message-inserter.ts";
import { MessageWorker } from "./message-worker.ts";
import { MessagesAtWork } from "./messages-at-work.ts";
import type { RuntimeDriver } from "./runtime-driver.ts";

/** Options of {@link createEmbeddedHome}. */
export interface EmbeddedHomeOptions<Tx> {
  /** The driver of the client, on a database with the migration lines `main` and `reaction`. */
  readonly driver: RuntimeDriver<Tx>;
  /** What contexts of queue and scheduled entries have as `env`; `process.env` is never read. Nothing by default. */
  readonly env?: unknown;
  /** Logger of those contexts; the console's warnings and errors unless given. */
  readonly logger?: Logger | undefined;
  /** Actual names of queues by the names of their definitions, where they differ. */
  readonly queueNames?: Readonly<Record<string, string>> | undefined;
  /** Takes the place of the clocks of this process and of the database, in tests. */
  readonly now?: (() => Date) | undefined;
}

/** What a home gives to `createReaction`. */
export interface EmbeddedHomeParts<Tx> {
  readonly store: ReactionStore<Tx>;
  readonly queue: QueueSender;
  readonly keyValue: KeyValueStore;
  readonly loggerQueue: QueueSender;
  readonly analyticsQueue: QueueSender;
  readonly analyticsStore: AnalyticsStore;
  readonly queueNames: Readonly<Record<string, string>>;
}

/** What a client is built from; all three are added to. */
export interface EmbeddedRegistration {
  // oxlint-disable-next-line typescript/no-explicit-any -- any client's workers do; messages use no transaction
  readonly workers: Workers<any>;
  readonly queues: Record<string, QueueConfig>;
  readonly periodicJobs: PeriodicJob[];
  readonly reaction: Reaction;
  /** How often a process that has nothing to do looks for overdue events; 60 s unless given. */
  readonly idleSweep?: Temporal.DurationLike | undefined;
}

/** See {@link createEmbeddedHome}. */
export interface EmbeddedHome<Tx> extends EmbeddedHomeParts<Tx>, Disposable {
  /** The same parts by themselves, to be spread into the options of `createReaction`, which take nothing else. */
  readonly parts: EmbeddedHomeParts<Tx>;
  /** Sends to a queue of the application. */
  sender(queue: Pick<QueueDefinition, "maxRetries" | "name">): QueueSender;
  /**
   * Adds what a client needs to work the queues of `reaction` and to sweep: workers, queues, and a periodic job. Call it
   * once, before the client is built.
   *
   * @throws ConfigurationError when a queue or kind is taken, or `idleSweep` is no length of time.
   */
  register(registration: EmbeddedRegistration): void;
  /**
   * The context for an attempt of one of the application's own jobs, to emit with: its `requestId` is the job's id. Without
   * an attempt, as in a script, it is that of a scheduled run. Work given to `waitUntil` is not waited for.
   *
   * @addition
   */
  workerCtx(attempt?: { readonly job: Pick<WorkContext["job"], "id"> }): WorkerCtx;
  /** Ends the sweeps of an idle process. Call it when the client has stopped, before the driver is closed. */
  close(): void;
}

/** Queue of the sweeps, which must not wait behind messages. */
const SWEEP_QUEUE = "reaction-sweep";
const SWEEP_KIND = "reaction_sweep";
/** Beyond the lease, so that a handler that outlives it still ends by its own means. */
const GRACE_MS = 10_000;
const DELIVERIES = 4;
const IDLE_SWEEP_MS = 60_000;

/**
 * Makes a home on the driver of a River client.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function createEmbeddedHome<Tx>(options: EmbeddedHomeOptions<Tx>): EmbeddedHome<Tx> {
  const { driver, logger = consoleLogger, queueNames = {}, env = null, now } = checked(options);
  const nameOf = (name: string): string => ownValue(queueNames, name) ?? name;
  const inserter = new MessageInserter(driver);
  const sender = ({ name, maxRetries }: Pick<QueueDefinition, "maxRetries" | "name">): QueueSender =>
    inserter.sender(nameOf(name), maxRetries + 1);
  const task = { name: nameOf(ASYNC_POLICY_TASK), maxAttempts: DELIVERIES };
  const messages = new MessagesAtWork(driver, inserter);
  const database = new EmbeddedDatabase(driver, inserter, messages, task);
  const gather = gatherCalls(driver.backend === "sqlite" ? () => database.assertFree() : null);
  const parts: EmbeddedHomeParts<Tx> = Object.freeze({
    store: new SqlReactionStore(database, { now, gather }),
    queue: inserter.sender(task.name, DELIVERIES),
    keyValue: new SqlKeyValueStore(database, { now }),
    loggerQueue: inserter.sender(nameOf(ASYNC_LOGGER), DELIVERIES),
    analyticsQueue: inserter.sender(nameOf(ANALYTICS_EVENTS), DELIVERIES),
    analyticsStore: new SqlAnalyticsStore(database, { now }),
    queueNames,
  });
  const sweeps = new IdleSweep();
  const register = (registration: EmbeddedRegistration): void => {
    const worker = new MessageWorker(registration.reaction, messages, { env, logger, now });
    const { idleSweepMs } = checkedRegistration(registration);
    addWorkers(registration, worker);
    sweeps.start(worker, registration.reaction, idleSweepMs);
  };
  const workerCtx: EmbeddedHome<Tx>["workerCtx"] = (attempt) =>
    createWorkerCtx({
      env,
      logger,
      now,
      ...(attempt === undefined ? { entry: "scheduled" } : { entry: "queue", requestId: String(attempt.job.id) }),
    });
  const close = (): void => sweeps.stop();
  return Object.freeze({ ...parts, parts, sender, register, workerCtx, close, [Symbol.dispose]: close });
}

function checkedRegistration({ queues, reaction, idleSweep }: EmbeddedRegistration): { readonly idleSweepMs: number } {
  const problems = new OptionProblems();
  const names = [...reaction.queues.map(({ actualName }) => actualName), SWEEP_QUEUE];
  for (const name of names)
    if (Object.hasOwn(queues, name)) problems.add(`queues.${name}`, "is taken; it is one of reaction's queues");
  const idleSweepMs = readDuration(problems, idleSweep, "idleSweep", IDLE_SWEEP_MS, { maxMs: LONGEST_TIMER_MS });
  problems.throwConfiguration();
  return { idleSweepMs };
}

function addWorkers({ workers, queues, periodicJobs, reaction }: EmbeddedRegistration, worker: MessageWorker): void {
  const message = defineJob({ kind: MESSAGE_KIND, decode: (args) => args });
  const longestWait = Math.max(...reaction.queues.map(({ definition }) => definition.batchTimeoutMs));
  workers.add(message, (context) => worker.work(context), {
    // Jobs without a timeout are never rescued.
    timeout: { milliseconds: Math.ceil(reaction.leaseMs + longestWait + GRACE_MS) },
    retryPolicy: (job, now) => worker.retryAt(job.id, now),
  });
  const sweep = defineJob({ kind: SWEEP_KIND, decode: () => ({}), deleteOnComplete: true });
  workers.add(sweep, async () => {
    const { ctx, settled } = worker.entry("scheduled");
    await reaction.processor.sweep(ctx);
    await settled();
  });
  periodicJobs.push(
    periodicJob({
      id: SWEEP_KIND,
      job: sweep,
      args: {},
      every: { minutes: 1 },
      options: { queue: SWEEP_QUEUE, maxAttempts: 1 },
    }),
  );
  for (const { actualName, definition } of reaction.queues) {
    const maxWorkers = definition.batchSize * definition.maxConcurrency;
    const value: QueueConfig = { maxWorkers, fetchCooldown: { milliseconds: 5 } };
    // Whatever its name: to assign `__proto__` would add no queue.
    Object.defineProperty(queues, actualName, { value, configurable: true, enumerable: true, writable: true });
  }
  queues[SWEEP_QUEUE] = { maxWorkers: 1 };
}

function checked<Tx>(options: EmbeddedHomeOptions<Tx>): EmbeddedHomeOptions<Tx> {
  const problems = new OptionProblems();
  const given = problems.object(options, "options", ["driver", "env", "logger", "queueNames", "now"]);
  const driver = given["driver"] as Partial<RuntimeDriver<Tx>> | null | undefined;
  if (driver?.canWork !== true || typeof driver.extension?.run !== "function") {
    problems.add("options.driver", "must be a driver that can work jobs, such as a SqliteDriver or a PgDriver");
  }
  if (given["logger"] !== undefined) problems.logger(given["logger"], "options.logger");
  if (given["now"] !== undefined) problems.function(given["now"], "options.now");
  problems.throwConfiguration();
  return options;
}
