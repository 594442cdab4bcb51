/** Builds the export of a Worker's module: every entry gets a context, batches find their consumer, cron sweeps. */
import type {
  AsyncLogger,
  AsyncLoggerOptions,
  NamedQueue,
  QueueDefinition,
  Reaction,
  WorkerCtx,
} from "@riverqueue/reaction";
import { OptionProblems, presetFetchWorkerCtx } from "@riverqueue/reaction/home";
import { openEntry } from "./open-entry.ts";
import type { DeliveredBatch, ScheduledEvent, WorkerExecutionContext } from "./worker-events.ts";
import { WorkerQueues } from "./worker-queues.ts";

/** Options of {@link createWorker}. */
export interface WorkerOptions<Env> {
  /** The application's. Its queues are consumed, the three built-in ones among them, and its sweeper runs by cron. */
  readonly reaction: Reaction<never>;
  /**
   * Answers requests; `fetch` of a Hono application fits. Routes of Hono get their context from `resolveFetchWorkerCtx`,
   * everybody else takes the fourth argument. Without it every request is answered with 404.
   */
  readonly fetch?:
    | ((
        request: Request,
        env: Env,
        // oxlint-disable-next-line typescript/no-explicit-any -- Hono and Cloudflare have different types for it
        executionCtx: any,
        ctx: WorkerCtx<Env>,
      ) => Promise<Response> | Response)
    | undefined;
  /**
   * Queues of the application, made by `defineQueue` and consumed beside those of `reaction`. The name of a definition is
   * the queue's actual name; where that is another one, give `{ definition, actualName }`.
   */
  readonly queues?: readonly (NamedQueue | QueueDefinition)[] | undefined;
  /** Called by every cron trigger, after the sweep. */
  readonly scheduled?: ((event: ScheduledEvent, ctx: WorkerCtx<Env>) => Promise<void> | void) | undefined;
  /** How entries log through `async-logger`. */
  readonly logging?: Omit<AsyncLoggerOptions, "now" | "queue"> | undefined;
}

/** What a Worker's module exports by default. */
export interface CloudflareWorker<Env> {
  fetch(request: Request, env: Env, executionCtx: WorkerExecutionContext): Promise<Response>;
  queue(batch: DeliveredBatch, env: Env, executionCtx: WorkerExecutionContext): Promise<void>;
  scheduled(event: ScheduledEvent, env: Env, executionCtx: WorkerExecutionContext): Promise<void>;
}

/**
 * Makes the export. A batch is consumed by the queue of exactly its actual name; one of a name that no queue has is alerted
 * and retried.
 *
 * @throws ConfigurationError naming everything that is wrong with the options, or two queues that have one name.
 */
export function createWorker<Env = unknown>(options: WorkerOptions<Env>): CloudflareWorker<Env> {
  checkOptions(options);
  const { reaction, fetch, queues = [], scheduled, logging } = options;
  const workerQueues = new WorkerQueues(reaction, queues);
  const newLogger = (): AsyncLogger | null => reaction.logs?.createLogger(logging) ?? null;
  return Object.freeze({
    fetch(request: Request, env: Env, executionCtx: WorkerExecutionContext): Promise<Response> {
      const requestId = request.headers.get("x-request-id") ?? request.headers.get("cf-ray") ?? undefined;
      return openEntry({ entry: "fetch", env, requestId, executionCtx, logger: newLogger() }, (ctx) => {
        presetFetchWorkerCtx(executionCtx, ctx);
        return fetch?.(request, env, executionCtx, ctx) ?? new Response("not found", { status: 404 });
      });
    },
    queue(batch: DeliveredBatch, env: Env, executionCtx: WorkerExecutionContext): Promise<void> {
      const logger = workerQueues.mayLogThroughQueue(batch) ? newLogger() : null;
      return openEntry({ entry: "queue", env, executionCtx, logger }, (ctx) => workerQueues.consume(batch, ctx));
    },
    scheduled(event: ScheduledEvent, env: Env, executionCtx: WorkerExecutionContext): Promise<void> {
      return openEntry({ entry: "scheduled", env, executionCtx, logger: newLogger() }, async (ctx) => {
        await reaction.processor.sweep(ctx);
        await scheduled?.(event, ctx);
      });
    },
  });
}

const KNOWN = ["reaction", "fetch", "queues", "scheduled", "logging"];
const LOGGING = ["logger", "level", "flushInterval", "flushSize", "bufferSize"];

function checkOptions(options: unknown): void {
  const problems = new OptionProblems();
  const { reaction, queues = [], logging = {}, ...handlers } = problems.object(options, "options", KNOWN);
  if (!isReaction(reaction)) {
    problems.add("options.reaction", "must be made by createReaction");
  } else {
    checkLogging(reaction, problems.object(logging, "options.logging", LOGGING), problems);
  }
  if (!Array.isArray(queues) || !queues.every(isQueue)) {
    problems.add("options.queues", "must be a list of queues made by defineQueue(), or { definition, actualName }");
  }
  for (const name of ["fetch", "scheduled"]) {
    if (handlers[name] !== undefined) problems.function(handlers[name], `options.${name}`);
  }
  problems.throwConfiguration();
}

function isReaction(value: unknown): value is Reaction {
  const { consume, queues, processor } = (value ?? {}) as Partial<Reaction>;
  return typeof consume === "function" && Array.isArray(queues) && typeof processor?.sweep === "function";
}

function isQueue(value: unknown): boolean {
  const queue = value as Partial<NamedQueue & QueueDefinition> | null | undefined;
  if (queue?.definition === undefined) return typeof queue?.name === "string" && typeof queue.consume === "function";
  return typeof queue.actualName === "string" && queue.actualName !== "" && isQueue(queue.definition);
}

/** A logger is made for each entry; what is wrong with its options has to be found before there is one. */
function checkLogging({ logs }: Reaction, logging: Readonly<Record<string, unknown>>, problems: OptionProblems): void {
  try {
    logs?.createLogger(Object.fromEntries(LOGGING.map((name) => [name, logging[name]])));
  } catch (error) {
    problems.add("options.logging", `is refused: ${error instanceof Error ? error.message : String(error)}`);
  }
}
