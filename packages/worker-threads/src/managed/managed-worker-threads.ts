/** The executor with what long-running installations ask for beside threads: fresh ones, a breaker, priorities, a client. */
import type { JobDefinition, WorkContext, WorkExecutor, WorkExecutorHandle, WorkExecutorTarget } from "riverqueue";
import { ThreadPool } from "../pool/thread-pool.ts";
import { TargetRegistry } from "../target-registry.ts";
import type { WorkerThreadsDiagnostics } from "../worker-threads-diagnostics.ts";
import { insertForThreads } from "./insert-for-threads.ts";
import { LoadBreaker } from "./load-breaker.ts";
import type { ManagedThreadHandlerTarget } from "./managed-thread-handler.ts";
import { type ManagedWorkerThreadsOptions, resolveManagedOptions } from "./managed-worker-threads-options.ts";

/**
 * As `WorkerThreads`, and beyond it: threads are recycled by attempts, age or heap; a breaker stops trying handlers whose
 * module cannot be loaded; attempts may wait by priority; handlers have a `client` that inserts.
 *
 * @addition
 */
export class ManagedWorkerThreads implements WorkExecutor {
  /** Name in a client's diagnostics. */
  readonly name = "managed_worker_threads";
  readonly #pool: ThreadPool;
  readonly #breaker: LoadBreaker | null;
  readonly #targets: TargetRegistry = new TargetRegistry();

  /** @throws ConfigurationError naming every option that is wrong. */
  constructor(options: ManagedWorkerThreadsOptions) {
    const resolved = resolveManagedOptions(options);
    const { maxThreads, resourceLimits, breaker, priority, afterJobs, afterAgeMs, aboveHeapBytes } = resolved;
    this.#breaker = breaker && new LoadBreaker(breaker.failures, breaker.cooldownMs, monotonic);
    this.#pool = new ThreadPool(maxThreads, resourceLimits, {
      limits: { attempts: afterJobs, ageMs: afterAgeMs, heapBytes: aboveHeapBytes },
      isInOrder: !priority,
      levelOf: (job) => (priority ? job.priority : 0),
      onLoaded: ({ task }, fault) => this.#breaker?.note(task.handler, fault),
      insert: insertForThreads(resolved.inserts),
    });
  }

  /**
   * A target for `Workers.addExecutor`. The module is loaded by the threads, when a job first needs it.
   *
   * @throws ConfigurationError when the definition has no kind, the module is no absolute URL, or the name is empty.
   */
  handler<Definition extends JobDefinition, Module>(
    definition: Definition,
    target: ManagedThreadHandlerTarget<Definition, Module>,
  ): WorkExecutorTarget {
    return this.#targets.make(this, definition, target);
  }

  /**
   * Starts an attempt; the client calls it.
   *
   * @throws ConfigurationError for a target of another executor, a job of another kind, arguments that cannot cross, or a
   *   handler that the breaker holds back; LifecycleError after `close`. The attempt fails with it, and no thread has
   *   been used.
   */
  start(context: WorkContext, handler: unknown): WorkExecutorHandle {
    this.#pool.assertOpen();
    const task = this.#targets.require(handler).taskFor(context);
    this.#breaker?.assertClosed(task.handler);
    return this.#pool.start(task, context);
  }

  /** Figures of this moment. */
  diagnostics(): WorkerThreadsDiagnostics {
    return this.#pool.counts;
  }

  /** As `close` of `WorkerThreads`. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function monotonic(): number {
  return performance.now();
}
