/** What an executor tells of its pool. */

/** Figures of a pool, in a client's diagnostics under `executors.worker_threads`. */
export type WorkerThreadsDiagnostics = {
  /** Threads that run an attempt. */
  readonly activeThreads: number;
  /**
   * Threads so far in which something went wrong that nobody caught: an exception, a rejection, an exit, a limit of
   * resources. Aborts and the close do not count. A figure that keeps rising usually means that handlers leave work
   * behind that fails later.
   */
  readonly crashedThreads: number;
  /** Threads that wait for an attempt. */
  readonly idleThreads: number;
  /** Attempts that wait for a thread. */
  readonly pendingTasks: number;
  /** All threads, those that start or end included. */
  readonly totalThreads: number;
};
