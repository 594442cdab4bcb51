/** The context of an HTTP route of Hono, which is known by its shape: no type of Hono is needed. */
import { LOG_LEVELS, type Logger } from "../logging/logger.ts";
import { ValidationError } from "../model/validation-error.ts";
import { createWorkerCtx } from "./create-worker-ctx.ts";
import type { WorkerCtx } from "./worker-ctx.ts";

/** What a context of Hono has. */
export interface FetchContext<Env = unknown> {
  readonly env: Env;
  readonly req: { header(name: string): string | undefined };
  /** Throws where the runtime has none. */
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void };
  /** Variables that middleware has set; `logger` is used when it is there. */
  get(key: string): unknown;
}

/** One context for one request, whoever asks. */
const known = new WeakMap<object, WorkerCtx>();
/** Contexts that homes have made, by what the runtime calls the execution context of the request. */
const preset = new WeakMap<object, WorkerCtx>();

/** For homes: the context of the request that has this execution context. Its logger and background work are used. */
export function presetFetchWorkerCtx(executionCtx: object, ctx: WorkerCtx): void {
  preset.set(executionCtx, ctx);
}

/**
 * The context of this request; the same one each time. A variable `logger` set by middleware becomes its logger, and a
 * header `x-request-id` or `cf-ray` its request id. Webhooks are HTTP routes too.
 *
 * @throws ValidationError for what is no context of Hono.
 */
export function resolveFetchWorkerCtx<Env>(c: FetchContext<Env>): WorkerCtx<Env> {
  assertFetchContext(c);
  const found = known.get(c);
  if (found !== undefined) return found as WorkerCtx<Env>;
  const executionCtx = readExecutionCtx(c);
  const made = executionCtx === undefined ? undefined : preset.get(executionCtx);
  const ctx = createWorkerCtx({
    entry: "fetch",
    env: c.env,
    requestId: made?.requestId ?? c.req.header("x-request-id") ?? c.req.header("cf-ray"),
    logger: readLogger(c.get("logger")) ?? made?.logger,
    waitUntil: made?.waitUntil ?? (executionCtx && ((work) => executionCtx.waitUntil(work))),
  });
  known.set(c, ctx);
  return ctx;
}

function assertFetchContext(value: unknown): void {
  const c = value as Partial<FetchContext> | null | undefined;
  const fits = typeof c === "object" && typeof c?.get === "function" && typeof c.req?.header === "function";
  if (!fits) throw new ValidationError("c must be the context of a route, as Hono hands it to handlers");
}

function readLogger(value: unknown): Logger | undefined {
  const fits =
    typeof value === "object" &&
    value !== null &&
    LOG_LEVELS.every((level) => typeof (value as Logger)[level] === "function");
  return fits ? (value as Logger) : undefined;
}

function readExecutionCtx(c: Pick<FetchContext, "executionCtx">): FetchContext["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
