/** The attempt that the calling code belongs to, for code too deep inside a handler to be handed the context. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonValue } from "../json/json-value.ts";
import { LifecycleError } from "../model/errors/lifecycle-error.ts";
import type { CurrentWorkContext, WorkAttemptContext } from "./work-context.ts";

/** What an attempt offers to the code that it runs. */
export interface AmbientAttempt {
  readonly record: { readonly id: bigint };
  readonly client: object;
  /** Null while nothing was recorded. */
  readonly staged: { output(): JsonValue | undefined } | null;
  /** Null until the handler starts. */
  readonly handlerContext: CurrentWorkContext | null;
  readonly recordOutput: WorkAttemptContext["recordOutput"];
  readonly setMetadata: WorkAttemptContext["setMetadata"];
}

let storage: AsyncLocalStorage<AmbientAttempt> | null = null;

/** Runs `body` as part of `attempt`. */
export function runInAttempt<Result, Args extends unknown[]>(
  attempt: AmbientAttempt,
  body: (...args: Args) => Result,
  ...args: Args
): Result {
  storage ??= new AsyncLocalStorage();
  return storage.run(attempt, body, ...args);
}

/**
 * The context of the handler that the calling code runs in, however deep and however late.
 *
 * @throws LifecycleError outside a handler.
 */
export function currentWorkContext(): CurrentWorkContext {
  const context = storage?.getStore()?.handlerContext;
  if (!context) throw new LifecycleError("currentWorkContext must be called inside a handler");
  return context;
}

/**
 * Records the output of the job that is being worked, as `context.recordOutput`. Hooks and middleware may call it too.
 *
 * @throws LifecycleError outside an attempt, and as `context.recordOutput`.
 */
export function recordOutput(output: JsonValue): void {
  currentAttempt("recordOutput").recordOutput(output);
}

/**
 * Records metadata of the job that is being worked, as `context.setMetadata`. Hooks and middleware may call it too.
 *
 * @throws LifecycleError outside an attempt, and as `context.setMetadata`.
 */
export function setMetadata(key: string, value: JsonValue): void {
  currentAttempt("setMetadata").setMetadata(key, value);
}

/** The output that the calling code's attempt has recorded so far, if it is an attempt of `client` at job `jobId`. */
export function recordedOutputOf(client: object, jobId: bigint): JsonValue | undefined {
  const attempt = storage?.getStore();
  if (attempt === undefined || attempt.client !== client || attempt.record.id !== jobId) return undefined;
  return attempt.staged?.output();
}

/** The attempt that the calling code was started by, also when it has ended since; null outside of any. */
export function ambientAttempt(): AmbientAttempt | null {
  return storage?.getStore() ?? null;
}

function currentAttempt(caller: string): AmbientAttempt {
  const attempt = storage?.getStore();
  if (!attempt) throw new LifecycleError(`${caller} must be called inside an attempt`);
  return attempt;
}
