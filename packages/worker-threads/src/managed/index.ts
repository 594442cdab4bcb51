/**
 * A pool of threads with recycling, a breaker, priorities, and a client for its handlers.
 *
 * @packageDocumentation
 */
export { ManagedWorkerThreads } from "./managed-worker-threads.ts";
export type { ManagedWorkerThreadsOptions, ThreadBreaker, ThreadRecycling } from "./managed-worker-threads-options.ts";
export type {
  ManagedThreadClient,
  ManagedThreadExportName,
  ManagedThreadHandlerTarget,
  ManagedThreadWorkContext,
  ManagedThreadWorkHandler,
} from "./managed-thread-handler.ts";
