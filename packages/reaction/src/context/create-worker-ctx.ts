/** Makes contexts. Only the entries of homes do so; application code is handed its context. */
import { consoleLogger, type Logger } from "../logging/logger.ts";
import type { WorkerCtx, WorkerEntry } from "./worker-ctx.ts";

/** What an entry knows. */
export interface WorkerCtxParts<Env> {
  readonly entry: WorkerEntry;
  readonly env: Env;
  readonly requestId?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly now?: (() => Date) | undefined;
  /** How the runtime keeps the entry alive; where there is nothing of the kind the work just goes on. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** A frozen context. */
export function createWorkerCtx<Env>(parts: WorkerCtxParts<Env>): WorkerCtx<Env> {
  const {
    entry,
    env,
    requestId = crypto.randomUUID(),
    logger = consoleLogger,
    now = () => new Date(),
    waitUntil,
  } = parts;
  return Object.freeze({
    entry,
    env,
    requestId,
    logger,
    now,
    waitUntil(work: PromiseLike<unknown>): void {
      const settled = Promise.resolve(work).catch((error: unknown) => {
        logger.error({ error, requestId }, "work in the background failed");
      });
      waitUntil?.(settled);
    },
  });
}
