/** What the attempts of one kind have in common, worked out once: the order of middleware and hooks, the timeout. */
import { argsCheckOf } from "../definition/definition-plan.ts";
import type { Extensions } from "../extend/resolve-extensions.ts";
import { durationToMs } from "../options/duration-input.ts";
import type { WorkerHooks, WorkMiddleware } from "../work/work-middleware.ts";
import type { WorkerRegistration } from "../work/worker-registration.ts";

/** The extensions of a client that concern attempts. */
export type WorkExtensions<Tx> = Pick<Extensions<Tx>, "afterWork" | "beforeWork" | "middleware">;

/** See the file header. */
export interface AttemptPlan<Tx> {
  readonly registration: WorkerRegistration<Tx>;
  /** Outside the resumable layer: the worker's own. */
  readonly outerMiddleware: readonly WorkMiddleware<Tx>[];
  /** Inside it: the client's, then those of the worker's plugins. */
  readonly innerMiddleware: readonly WorkMiddleware<Tx>[];
  readonly beforeWork: readonly NonNullable<WorkerHooks<Tx>["beforeWork"]>[];
  readonly afterWork: readonly NonNullable<WorkerHooks<Tx>["afterWork"]>[];
  /** Milliseconds; null for no limit. */
  readonly timeoutMs: number | null;
  /** Whether arguments are checked; otherwise they are parsed only when the handler looks at them. */
  readonly checksArgs: boolean;
}

/** Makes the plan of a worker. */
export function attemptPlan<Tx>(
  registration: WorkerRegistration<Tx>,
  extensions: WorkExtensions<Tx>,
  jobTimeoutMs: number | null,
): AttemptPlan<Tx> {
  const { definition, options } = registration;
  const { timeout } = options;
  return {
    registration,
    outerMiddleware: options.middleware,
    innerMiddleware: [...extensions.middleware, ...options.pluginMiddleware],
    beforeWork: [...extensions.beforeWork, ...options.beforeWork],
    afterWork: [...extensions.afterWork, ...options.afterWork],
    timeoutMs: timeout === undefined ? jobTimeoutMs : durationToMs(timeout),
    checksArgs: argsCheckOf(definition).form !== "unchecked",
  };
}
