/** The executor: makes targets of handlers, and starts their attempts on its pool of threads. */
import type { JobDefinition, WorkContext, WorkExecutor, WorkExecutorHandle, WorkExecutorTarget } from "riverqueue";
import { PLAIN_POLICY } from "./pool/pool-policy.ts";
import { ThreadPool } from "./pool/thread-pool.ts";
import { TargetRegistry } from "./target-registry.ts";
import type { WorkerThreadsDiagnostics } from "./worker-threads-diagnostics.ts";
import type { WorkerThreadHandlerTarget } from "./worker-thread-module.ts";
import { resolveWorkerThreadsOptions, type WorkerThreadsOptions } from "./worker-threads-options.ts";

/**
 * Runs handlers in a bounded pool of threads, so that those that compute do not hold up the client's event loop. Belongs
 * to the application: several clients may share one, and none closes it. A crash costs the attempt that it happened in
 * and its thread, which is replaced when an attempt needs one.
 *
 * Threads keep a fault from stopping others; they are no sandbox. They share process and file system, and each starts
 * with a copy of the environment variables: run trusted modules only.
 */
export class WorkerThreads implements WorkExecutor {
  /** Name in a client's diagnostics. */
  readonly name = "worker_threads";
  readonly #pool: ThreadPool;
  readonly #targets: TargetRegistry = new TargetRegistry();

  /** @throws ConfigurationError naming every option that is wrong. */
  constructor(options: WorkerThreadsOptions) {
    const { maxThreads, resourceLimits } = resolveWorkerThreadsOptions(options);
    this.#pool = new ThreadPool(maxThreads, resourceLimits, PLAIN_POLICY);
  }

  /**
   * A target for `Workers.addExecutor`. The module is loaded by the threads, when a job first needs it.
   *
   * @throws ConfigurationError when the definition has no kind, the module is no absolute URL, or the name is empty.
   */
  handler<Definition extends JobDefinition, Module>(
    definition: Definition,
    target: WorkerThreadHandlerTarget<Definition, Module>,
  ): WorkExecutorTarget {
    return this.#targets.make(this, definition, target);
  }

  /**
   * Starts an attempt; the client calls it.
   *
   * @throws ConfigurationError for a target of another executor, a job of another kind, or arguments that cannot cross;
   *   LifecycleError after `close`. The attempt fails with it, and no thread has been used.
   */
  start(context: WorkContext, handler: unknown): WorkExecutorHandle {
    this.#pool.assertOpen();
    return this.#pool.start(this.#targets.require(handler).taskFor(context), context);
  }

  /** Figures of this moment. */
  diagnostics(): WorkerThreadsDiagnostics {
    return this.#pool.counts;
  }

  /**
   * Ends all threads and resolves when they are gone. Call it when the clients that use the executor have stopped: attempts
   * that wait or run then fail with a LifecycleError, which counts. Further calls do nothing more, and later starts fail.
   */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
