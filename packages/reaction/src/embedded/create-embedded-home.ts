/** The home inside of a River client: its database keeps the records, and its queues carry the messages. */
import { defineJob, type PeriodicJob, periodicJob, type QueueConfig, type WorkContext, type Workers } from "riverqueue";
import { createWorkerCtx } from "../context/create-worker-ctx.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import type { DurationInput } from "../kit/duration.ts";
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
import { checkAttempt, checkHomeOptions, checkQueue, checkRegistration, SWEEP_QUEUE } from "./check-arguments.ts";
import { gatherCalls } from "./call-gatherer.ts";
import { EmbeddedDatabase } from "./embedded-database.ts";
import { IdleSweep } from "./idle-sweep.ts";
import { attemptsFor, MESSAGE_KIND, MessageInserter } from "./message-inserter.ts";
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
  /**
   * Time after which a statement of the stores or senders that has no answer fails, and is tried again where that makes
   * sense; at least 1 ms, default 10 s. Much shorter than a lease, which is renewed at a third. Statements in a transaction
   * of yours wait as long as you do, and reports on analytics events a minute at least.
   *
   * @addition
   */
  readonly statementTimeout?: DurationInput | undefined;
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
  /** How often a process looks for overdue events while it works none, and half as often otherwise; 60 s unless given. */
  readonly idleSweep?: Temporal.DurationLike | undefined;
}

/** See {@link createEmbeddedHome}. */
export interface EmbeddedHome<Tx> extends EmbeddedHomeParts<Tx>, Disposable {
  /** The same parts by themselves, to be spread into the options of `createReaction`, which take nothing else. */
  readonly parts: EmbeddedHomeParts<Tx>;
  /**
   * Sends to a queue of the application.
   *
   * @throws ConfigurationError for what is no queue.
   */
  sender(queue: Pick<QueueDefinition, "maxRetries" | "name">): QueueSender;
  /**
   * Adds what a client needs to work the queues of `reaction` and to sweep: workers, queues, and a periodic job. Call it
   * once, before the client is built.
   *
   * @throws ConfigurationError when a queue or kind is taken, or something of `registration` is not what it should be.
   */
  register(registration: EmbeddedRegistration): void;
  /**
   * The context for an attempt of one of the application's own jobs, to emit with: its `requestId` is the job's id. Without
   * an attempt, as in a script, it is that of a scheduled run. Work given to `waitUntil` is not waited for.
   *
   * @throws ValidationError for what is no attempt.
   * @addition
   */
  workerCtx(attempt?: { readonly job: Pick<WorkContext["job"], "id"> }): WorkerCtx;
  /** Ends the sweeps of an idle process. Call it when the client has stopped, before the driver is closed. */
  close(): void;
}

const SWEEP_KIND = "reaction_sweep";
const DELIVERIES = 4;
/** For reports, which read much; no lease is renewed meanwhile that waits for one. */
const REPORT_MS = 60_000;

/**
 * Makes a home on the driver of a River client.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function createEmbeddedHome<Tx>(options: EmbeddedHomeOptions<Tx>): EmbeddedHome<Tx> {
  const { statementMs } = checkHomeOptions(options);
  const { driver, logger = consoleLogger, queueNames = {}, env = null, now } = options;
  const nameOf = (name: string): string => ownValue(queueNames, name) ?? name;
  const inserter = new MessageInserter(driver, statementMs);
  const sender = (queue: Pick<QueueDefinition, "maxRetries" | "name">): QueueSender => {
    checkQueue(queue);
    return inserter.sender(nameOf(queue.name), attemptsFor(queue.maxRetries));
  };
  const task = { name: nameOf(ASYNC_POLICY_TASK), maxAttempts: DELIVERIES };
  const messages = new MessagesAtWork(driver, inserter, statementMs);
  const databaseOf = (timeoutMs: number): EmbeddedDatabase<Tx> =>
    new EmbeddedDatabase(driver, inserter, messages, { queue: task, timeoutMs });
  const database = databaseOf(statementMs);
  const gather = gatherCalls(driver.backend === "sqlite" ? () => database.assertFree() : null);
  const parts: EmbeddedHomeParts<Tx> = Object.freeze({
    store: new SqlReactionStore(database, { now, gather }),
    queue: inserter.sender(task.name, DELIVERIES),
    keyValue: new SqlKeyValueStore(database, { now }),
    loggerQueue: inserter.sender(nameOf(ASYNC_LOGGER), DELIVERIES),
    analyticsQueue: inserter.sender(nameOf(ANALYTICS_EVENTS), DELIVERIES),
    analyticsStore: new SqlAnalyticsStore(databaseOf(Math.max(statementMs, REPORT_MS)), { now }),
    queueNames,
  });
  const sweeps = new IdleSweep();
  const register = (registration: EmbeddedRegistration): void => {
    const { idleSweepMs } = checkRegistration(registration);
    const worker = new MessageWorker(registration.reaction, messages, { env, logger, now });
    addWorkers(registration, worker);
    sweeps.start(worker, registration.reaction, idleSweepMs);
  };
  const workerCtx: EmbeddedHome<Tx>["workerCtx"] = (attempt) => {
    const common = { env, logger, now };
    if (attempt === undefined) return createWorkerCtx({ ...common, entry: "scheduled" });
    checkAttempt(attempt);
    return createWorkerCtx({ ...common, entry: "queue", requestId: String(attempt.job.id) });
  };
  const close = (): void => sweeps.stop();
  return Object.freeze({ ...parts, parts, sender, register, workerCtx, close, [Symbol.dispose]: close });
}

function addWorkers({ workers, queues, periodicJobs, reaction }: EmbeddedRegistration, worker: MessageWorker): void {
  const message = defineJob({ kind: MESSAGE_KIND, decode: (args) => args });
  workers.add(message, (context) => worker.work(context), {
    // Jobs without a timeout are never rescued.
    timeout: { milliseconds: worker.timeoutMs },
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
