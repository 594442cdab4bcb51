/** The targets that one executor has made, by which it knows its own. */
import { ConfigurationError, type WorkExecutor, type WorkExecutorTarget } from "riverqueue";
import { ThreadTarget } from "./thread-target.ts";

/** See the file header. */
export class TargetRegistry {
  readonly #made: WeakSet<ThreadTarget> = new WeakSet();

  /** @throws ConfigurationError as `ThreadTarget.from`. */
  make(executor: WorkExecutor, definition: unknown, target: unknown): WorkExecutorTarget {
    const made = ThreadTarget.from(definition, target);
    this.#made.add(made);
    return Object.freeze({ executor, handler: Object.freeze(made) });
  }

  /** @throws ConfigurationError for anything that `make` did not make. */
  require(handler: unknown): ThreadTarget {
    if (typeof handler === "object" && handler !== null && this.#made.has(handler as ThreadTarget)) {
      return handler as ThreadTarget;
    }
    throw new ConfigurationError("worker thread handler was not created by this executor");
  }
}
