/**
 * One invocation of a Worker: its context, and its end. A logger belongs to one invocation, since what one invocation has
 * under way cannot be waited for by another; its entries are sent together when everything else is done.
 */
import {
  type AsyncLogger,
  consoleLogger,
  type Logger,
  type LogLevel,
  type WorkerCtx,
  type WorkerEntry,
} from "@riverqueue/reaction";
import { openHomeEntry } from "@riverqueue/reaction/home";
import type { WorkerExecutionContext } from "./worker-events.ts";

/** What an invocation is made of. */
export interface EntryParts<Env> {
  readonly entry: WorkerEntry;
  readonly env: Env;
  readonly requestId?: string | undefined;
  readonly executionCtx: WorkerExecutionContext;
  /** Null for the console alone. */
  readonly logger: AsyncLogger | null;
}

/**
 * Runs `body` with the invocation's context. What it has left in the background, and the log, is finished afterwards. What
 * it throws is logged, and is the platform's to answer.
 */
export async function openEntry<Env, Result>(
  { entry, env, requestId = crypto.randomUUID(), executionCtx, logger }: EntryParts<Env>,
  body: (ctx: WorkerCtx<Env>) => Promise<Result> | Result,
): Promise<Result> {
  const waitUntil = (work: PromiseLike<unknown>): void => executionCtx.waitUntil(Promise.resolve(work));
  const log = logger === null ? null : new EntryLog(logger, { entry, requestId, waitUntil });
  const { ctx, settled } = openHomeEntry({
    entry,
    env,
    requestId,
    logger: log?.logger ?? consoleLogger,
    waitUntil,
  });
  try {
    return await body(ctx);
  } catch (error) {
    ctx.logger.error({ error }, "an entry of the Worker failed");
    throw error;
  } finally {
    waitUntil(finish(settled, log));
  }
}

async function finish(settled: () => Promise<void>, log: EntryLog | null): Promise<void> {
  await settled();
  await log?.end();
}

/** Sends entries together at the end; what is logged after it, by a response that still streams, is sent as it comes. */
class EntryLog {
  readonly logger: Logger;
  readonly #whole: AsyncLogger;
  #current: Logger;
  readonly #late: Logger;

  constructor(whole: AsyncLogger, { entry, requestId, waitUntil }: Parameters<AsyncLogger["forEntry"]>[0]) {
    this.#whole = whole;
    this.#current = whole.child({ entry, requestId });
    this.#late = whole.forEntry({ entry, requestId, waitUntil });
    const level =
      (name: LogLevel): Logger[LogLevel] =>
      (attributes, message) =>
        this.#current[name](attributes, message);
    this.logger = Object.freeze({
      debug: level("debug"),
      info: level("info"),
      warn: level("warn"),
      error: level("error"),
    });
  }

  end(): Promise<void> {
    this.#current = this.#late;
    return this.#whole.flush();
  }
}
