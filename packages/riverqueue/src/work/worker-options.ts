/** Options of one worker: how its kind differs from what the client says for all. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { Job, JobDefinition } from "../definition/job-definition.ts";
import { isUniqueWhenCompletedByDefault } from "../definition/unique-options.ts";
import { type DurationInput, readDuration, toDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { readFunctions, readHooks, readPlugins } from "./read-plugins.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { WorkerHooks, WorkerPlugin, WorkMiddleware } from "./work-middleware.ts";

/** Options of `Workers.add` and `Workers.addExecutor`. */
export interface WorkerOptions<Definition extends JobDefinition = JobDefinition, Tx = RegisteredTransaction> {
  /** How long handler and `afterWork` hooks may take, at least 1 ms; null for no limit; the client's `jobTimeout` unless given. */
  readonly timeout?: DurationInput | null | undefined;
  /** Asked before the client's, when the arguments were decoded. */
  readonly retryPolicy?: RetryPolicy<Job<Definition>> | undefined;
  /** Run inside those of the client. */
  readonly hooks?: WorkerHooks<Tx> | undefined;
  /** Wraps the client's middleware, the first outermost. */
  readonly middleware?: WorkMiddleware<Tx> | readonly WorkMiddleware<Tx>[] | undefined;
  /** Their hooks run before `hooks`, their middleware inside the client's. */
  readonly plugins?: readonly WorkerPlugin<Tx>[] | undefined;
  /**
   * Delete the row of a completed job instead of storing it as `completed`; the definition's unless given. Refused for a
   * definition whose defaults make jobs unique without writing out `unique.byState`.
   *
   * @addition
   */
  readonly deleteOnComplete?: boolean | undefined;
}

/** Worker options that have been checked: frozen lists in the order they run. */
export interface NormalizedWorkerOptions<Tx = RegisteredTransaction> {
  /** Undefined: the client's. */
  readonly timeout: Temporal.Duration | null | undefined;
  readonly retryPolicy: RetryPolicy<Job> | undefined;
  readonly beforeWork: readonly NonNullable<WorkerHooks<Tx>["beforeWork"]>[];
  readonly afterWork: readonly NonNullable<WorkerHooks<Tx>["afterWork"]>[];
  readonly middleware: readonly WorkMiddleware<Tx>[];
  readonly pluginMiddleware: readonly WorkMiddleware<Tx>[];
  /**
   * The worker's, else the definition's.
   *
   * @addition
   */
  readonly deleteOnComplete: boolean;
}

const HOOKS = ["beforeWork", "afterWork"];
const KNOWN = ["timeout", "retryPolicy", "hooks", "middleware", "plugins", "deleteOnComplete"];

/** Reads the options of a worker of `definition`, null when that is wrong itself; what is wrong goes to `problems`. */
export function readWorkerOptions<Tx>(
  problems: OptionProblems,
  value: unknown,
  definition: JobDefinition | null,
): NormalizedWorkerOptions<Tx> {
  const options = value === undefined ? {} : problems.object(value, "options", KNOWN);
  const plugins = readPlugins(problems, options["plugins"], "options.plugins", {
    hooks: HOOKS,
    functions: ["middleware"],
  });
  const hooks = [
    ...plugins.map((plugin) => plugin.hooks),
    readHooks(problems, options["hooks"], "options.hooks", HOOKS),
  ];
  const named = (name: string): unknown[] => hooks.flatMap((functions) => functions[name] ?? []);
  return Object.freeze({
    timeout: readTimeout(problems, options["timeout"]),
    retryPolicy: readRetryPolicy(problems, options["retryPolicy"]),
    beforeWork: Object.freeze(named("beforeWork")) as NormalizedWorkerOptions<Tx>["beforeWork"],
    afterWork: Object.freeze(named("afterWork")) as NormalizedWorkerOptions<Tx>["afterWork"],
    middleware: middlewareList<Tx>(readFunctions(problems, options["middleware"], "options.middleware")),
    pluginMiddleware: middlewareList<Tx>(plugins.flatMap((plugin) => plugin.functions["middleware"] ?? [])),
    deleteOnComplete: readDeleteOnComplete(problems, options["deleteOnComplete"], definition),
  });
}

function readTimeout(problems: OptionProblems, value: unknown): Temporal.Duration | null | undefined {
  if (value === undefined || value === null) return value;
  const ms = readDuration(problems, value, "options.timeout", undefined, { minMs: 1 });
  return ms === undefined ? undefined : (toDuration(value) ?? undefined);
}

function readRetryPolicy(problems: OptionProblems, value: unknown): RetryPolicy<Job> | undefined {
  if (value === undefined || typeof value === "function") return value as RetryPolicy<Job> | undefined;
  problems.add("options.retryPolicy", "must be a function");
  return undefined;
}

function middlewareList<Tx>(functions: readonly unknown[]): readonly WorkMiddleware<Tx>[] {
  return Object.freeze([...functions]) as readonly WorkMiddleware<Tx>[];
}

function readDeleteOnComplete(problems: OptionProblems, value: unknown, definition: JobDefinition | null): boolean {
  const deletes = value === undefined ? (definition?.deleteOnComplete ?? false) : value;
  if (typeof deletes !== "boolean") {
    problems.add("options.deleteOnComplete", "must be a boolean");
    return false;
  }
  if (deletes && definition !== null && isUniqueWhenCompletedByDefault(definition.defaults.unique)) {
    problems.add(
      "options.deleteOnComplete",
      `must not be combined with the default unique states of job kind ${JSON.stringify(definition.kind)}, which ` +
        "include completed; write out defaults.unique.byState",
    );
  }
  return deletes;
}
