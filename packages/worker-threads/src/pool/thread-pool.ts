/**
 * The threads and the attempts that wait for them. Decides which attempt gets which thread, when threads are started, and
 * what happens to an attempt whose thread ended before it took it; never more threads than the limit, those that are
 * being ended included.
 */
import type { ResourceLimits } from "node:worker_threads";
import { ConfigurationError, LifecycleError, type WorkContext, type WorkExecutorAbortResult } from "riverqueue";
import type { Task } from "../protocol/messages.ts";
import { WorkerThreadHandlerError } from "../worker-thread-handler-error.ts";
import type { WorkerThreadsDiagnostics } from "../worker-threads-diagnostics.ts";
import { PoolThread, type ThreadOwner } from "./pool-thread.ts";
import type { PoolPolicy } from "./pool-policy.ts";
import { ThreadAttempt } from "./thread-attempt.ts";
import { WaitingList } from "./waiting-list.ts";

/** How often it is looked whether offered attempts were taken, in milliseconds: what they may start late by. */
const CHECK_MS = 20;
/** Checks after which a thread that takes nothing is given up: 5 seconds. */
const CHECK_LIMIT = 250;

/** See the file header. */
export class ThreadPool implements ThreadOwner {
  readonly policy: PoolPolicy;
  readonly resourceLimits: ResourceLimits | null;
  readonly #maxThreads: number;
  readonly #threads: Set<PoolThread> = new Set();
  /** The one that was used last is used next, so that others may grow cold. */
  readonly #idle: PoolThread[] = [];
  readonly #waiting: WaitingList = new WaitingList();
  #starting = 0;
  #crashed = 0;
  #checking: NodeJS.Timeout | null = null;
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(maxThreads: number, resourceLimits: ResourceLimits | null, policy: PoolPolicy) {
    this.#maxThreads = maxThreads;
    this.resourceLimits = resourceLimits;
    this.policy = policy;
  }

  get counts(): WorkerThreadsDiagnostics {
    let activeThreads = 0;
    for (const thread of this.#threads) if (thread.attempt !== null) activeThreads++;
    return {
      activeThreads,
      crashedThreads: this.#crashed,
      idleThreads: this.#idle.length,
      pendingTasks: this.#waiting.size,
      totalThreads: this.#threads.size,
    };
  }

  /** @throws LifecycleError when the pool is closed. */
  assertOpen(): void {
    if (this.#closed !== null) throw closedError();
  }

  /** @throws LifecycleError when the pool is closed. */
  start(task: Task, context: WorkContext): ThreadAttempt {
    this.assertOpen();
    const attempt = new ThreadAttempt(task, context, this.policy.levelOf(context.job), this.#abort);
    const thread = this.#waiting.size === 0 ? this.#idle.pop() : undefined;
    if (thread?.isUsable === true) this.#offer(thread, attempt);
    else {
      this.#waiting.add(attempt);
      this.#assign();
    }
    return attempt;
  }

  /** Ends all threads; what waits and what runs fails. Resolves when the threads are gone. */
  close(): Promise<void> {
    if (this.#closed === null) {
      this.#closed = Promise.withResolvers();
      for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
        next.fail(closedError());
      }
      const running = new LifecycleError("worker thread executor closed while the attempt was running");
      for (const thread of this.#threads) thread.end(running);
      this.#resolveWhenEmpty();
    }
    return this.#closed.promise;
  }

  onReady(thread: PoolThread): void {
    this.#starting--;
    this.onFree(thread);
  }

  onFree(thread: PoolThread): void {
    this.#idle.push(thread);
    this.#assign();
  }

  onCrash(): void {
    this.#crashed++;
  }

  onGone(thread: PoolThread, orphan: ThreadAttempt | null, error: WorkerThreadHandlerError): void {
    this.#threads.delete(thread);
    this.#forgetIdle(thread);
    if (!thread.isReady) {
      this.#starting--;
      // A thread that cannot start would be started for the same attempt for ever.
      this.#waiting.take()?.fail(error);
    }
    if (orphan !== null) this.#putBack(orphan, error);
    this.#resolveWhenEmpty();
    this.#assign();
  }

  #assign(): void {
    while (this.#waiting.size > 0) {
      const thread = this.#idle.pop();
      if (thread === undefined) return this.#startThreads();
      if (!thread.isUsable) continue;
      const attempt = this.#waiting.take();
      if (attempt !== undefined) this.#offer(thread, attempt);
    }
  }

  #startThreads(): void {
    while (this.#closed === null && this.#starting < this.#waiting.size && this.#threads.size < this.#maxThreads) {
      try {
        this.#threads.add(new PoolThread(this));
        this.#starting++;
      } catch (error) {
        this.#waiting.take()?.fail(error);
      }
    }
  }

  #offer(thread: PoolThread, attempt: ThreadAttempt): void {
    try {
      thread.offer(attempt);
      this.#checking ??= setInterval(this.#check, CHECK_MS);
    } catch (cause) {
      thread.takeBack();
      attempt.fail(
        new ConfigurationError("job arguments cannot cross to a worker thread: they have changed", { cause }),
      );
      thread.release();
    }
  }

  readonly #check = (): void => {
    let unchecked = 0;
    for (const thread of this.#threads) {
      const checks = thread.check();
      if (checks === null) continue;
      if (checks < CHECK_LIMIT) unchecked++;
      else this.#giveUp(thread);
    }
    if (unchecked > 0 || this.#checking === null) return;
    clearInterval(this.#checking);
    this.#checking = null;
  };

  /** Something that a finished attempt has left behind keeps the thread from ever turning to the next one. */
  #giveUp(thread: PoolThread): void {
    const attempt = thread.takeBack();
    if (attempt === null) return;
    thread.end();
    this.#putBack(attempt, new WorkerThreadHandlerError("the worker thread did not begin the attempt"));
    this.#assign();
  }

  #putBack(attempt: ThreadAttempt, error: WorkerThreadHandlerError): void {
    if (this.#closed !== null) return attempt.fail(closedError());
    if (attempt.wasPutBack) return attempt.fail(error);
    attempt.wasPutBack = true;
    this.#waiting.putBack(attempt);
  }

  readonly #abort = async (
    attempt: ThreadAttempt,
    reason: unknown,
    graceMs: number,
  ): Promise<WorkExecutorAbortResult> => {
    const thread = this.#threadOf(attempt);
    if (thread === undefined) {
      if (this.#waiting.delete(attempt)) attempt.fail(reason);
      return { terminated: false };
    }
    if (thread.takeBack() === null) return thread.abort(reason, graceMs);
    attempt.fail(reason);
    thread.release();
    return { terminated: false };
  };

  #threadOf(attempt: ThreadAttempt): PoolThread | undefined {
    for (const thread of this.#threads) if (thread.attempt === attempt) return thread;
    return undefined;
  }

  #forgetIdle(thread: PoolThread): void {
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #resolveWhenEmpty(): void {
    if (this.#threads.size === 0) this.#closed?.resolve();
  }
}

function closedError(): LifecycleError {
  return new LifecycleError("worker thread executor is closed");
}
