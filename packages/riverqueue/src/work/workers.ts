/** The registry of workers: which kinds a client works, and by what. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import { isJobDefinition } from "../definition/is-job-definition.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import { OptionProblems } from "../options/option-problems.ts";
import type { WorkExecutor, WorkExecutorTarget } from "./work-executor.ts";
import type { WorkHandler, WorkHandlerFactory } from "./work-handler.ts";
import { readWorkerOptions, type WorkerOptions } from "./worker-options.ts";
import type { WorkerRegistration } from "./worker-registration.ts";

/**
 * Workers by kind. A worker works its definition's kind and all its aliases. One registry may serve several clients;
 * adding to it after a client has started is allowed, but a client with `fetchOnlyKnownKinds` keeps to the kinds of its
 * start.
 *
 * @typeParam Tx - transaction type of the driver, for `completeTx` and `checkpoint`
 */
export class Workers<Tx = RegisteredTransaction> {
  readonly #byKind: Map<string, WorkerRegistration<Tx>> = new Map();
  #size = 0;

  /**
   * Adds a worker whose handler runs in the client's event loop.
   *
   * @throws ConfigurationError naming everything that is wrong: no definition of `defineJob`, no handler, bad options, a
   *   kind or alias that has a worker already. Nothing is added then.
   */
  add<Definition extends JobDefinition>(
    definition: Definition,
    handler: WorkHandler<Definition, Tx> | WorkHandlerFactory<Definition, Tx>,
    options?: WorkerOptions<Definition, Tx>,
  ): this {
    const problems = new OptionProblems();
    if (!isHandler(handler))
      problems.add("handler", "must be a function or an object with a function createWorkHandler");
    return this.#register(problems, definition, options, (checked) => ({ type: "in_process", handler, ...checked }));
  }

  /**
   * Adds a worker whose handler an executor runs.
   *
   * @throws ConfigurationError as `add`, and for a target that no executor made.
   */
  addExecutor<Definition extends JobDefinition>(
    definition: Definition,
    target: WorkExecutorTarget,
    options?: WorkerOptions<Definition, Tx>,
  ): this {
    const problems = new OptionProblems();
    if (!isTarget(target))
      problems.add("target", "must be an object with an executor, which has a name and a function start");
    return this.#register(problems, definition, options, (checked) => ({ type: "executor", target, ...checked }));
  }

  /** Whether jobs of `kind`, which may be an alias, have a worker. */
  has(kind: string): boolean {
    return this.#byKind.has(kind);
  }

  /**
   * The worker for jobs of `kind`, which may be an alias.
   *
   * @addition
   */
  get(kind: string): WorkerRegistration<Tx> | undefined {
    return this.#byKind.get(kind);
  }

  /** All kinds with a worker, aliases included, sorted by UTF-16 code units. */
  kinds(): string[] {
    return [...this.#byKind.keys()].toSorted();
  }

  /**
   * The executors in use, each once, in the order they were first named.
   *
   * @addition
   */
  executors(): WorkExecutor[] {
    const executors = new Set<WorkExecutor>();
    for (const registration of this.#byKind.values()) {
      if (registration.type === "executor") executors.add(registration.target.executor);
    }
    return [...executors];
  }

  /** How many workers have been added; aliases do not count. */
  get size(): number {
    return this.#size;
  }

  #register(
    problems: OptionProblems,
    definition: unknown,
    options: unknown,
    make: (checked: Pick<WorkerRegistration<Tx>, "definition" | "options">) => WorkerRegistration<Tx>,
  ): this {
    const known = isJobDefinition(definition) ? definition : null;
    if (known === null) problems.add("definition", "must be made by defineJob");
    const checkedOptions = readWorkerOptions<Tx>(problems, options, known);
    const kinds = known === null ? [] : [known.kind, ...known.kindAliases];
    for (const kind of kinds) {
      if (this.#byKind.has(kind))
        problems.add("definition", `must not repeat the kind ${JSON.stringify(kind)}, which has a worker`);
    }
    problems.throwConfiguration();
    const registration = Object.freeze(make({ definition: known as JobDefinition, options: checkedOptions }));
    for (const kind of kinds) this.#byKind.set(kind, registration);
    this.#size++;
    return this;
  }
}

function isHandler(value: unknown): boolean {
  return typeof value === "function" || hasFunction(value, "createWorkHandler");
}

function isTarget(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { executor } = value as Partial<WorkExecutorTarget>;
  return hasFunction(executor, "start") && typeof executor?.name === "string" && executor.name !== "";
}

function hasFunction(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[name] === "function";
}
