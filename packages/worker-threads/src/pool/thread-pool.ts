/**
 * The threads and the attempts that wait for them. Decides which attempts are posted, when threads are woken and started,
 * and what happens to an attempt that threads do not take; never more threads than the limit, those that are being ended
 * included.
 */
import type { ResourceLimits } from "node:worker_threads";
import { LifecycleError, type WorkContext, type WorkExecutorAbortResult } from "riverqueue";
import type { Task } from "../protocol/messages.ts";
import { WorkerThreadHandlerError } from "../worker-thread-handler-error.ts";
import type { WorkerThreadsDiagnostics } from "../worker-threads-diagnostics.ts";
import { PoolThread, type ThreadOwner } from "./pool-thread.ts";
import type { PoolPolicy } from "./pool-policy.ts";
import { type PostedTask, PostedTasks } from "./posted-tasks.ts";
import { ThreadAttempt } from "./thread-attempt.ts";
import { WaitingList } from "./waiting-list.ts";

/** How often it is looked whether posted attempts were taken, in milliseconds: what they may start late by. */
const CHECK_MS = 20;
/** Checks after which a thread that takes nothing is given up: 5 seconds. */
const CHECK_LIMIT = 250;
/** Attempts that are posted beyond one for each thread, so that a thread that has finished one need not ask. */
const AHEAD = 16;
/** More threads than a process can have; keeps the memory of the board within bounds. */
const THREADS_LIMIT = 4_096;

/** See the file header. */
export class ThreadPool implements ThreadOwner {
  readonly policy: PoolPolicy;
  readonly resourceLimits: ResourceLimits | null;
  readonly posted: PostedTasks;
  readonly #maxThreads: number;
  /** In the order of their start: the oldest that is free is woken, so that others may grow cold. */
  readonly #threads: Set<PoolThread> = new Set();
  readonly #waiting: WaitingList = new WaitingList();
  #threadNumber = 0;
  #crashed = 0;
  #checking: NodeJS.Timeout | null = null;
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(maxThreads: number, resourceLimits: ResourceLimits | null, policy: PoolPolicy) {
    this.#maxThreads = maxThreads;
    this.resourceLimits = resourceLimits;
    this.policy = policy;
    this.posted = new PostedTasks(Math.min(maxThreads, THREADS_LIMIT) + AHEAD);
  }

  get counts(): WorkerThreadsDiagnostics {
    let [activeThreads, idleThreads] = [0, 0];
    for (const thread of this.#threads) {
      if (thread.task !== undefined) activeThreads++;
      else if (thread.isReady && thread.isUsable) idleThreads++;
    }
    return {
      activeThreads,
      crashedThreads: this.#crashed,
      idleThreads,
      pendingTasks: this.#waiting.size + this.posted.waiting,
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
    this.#waiting.add(attempt);
    this.#assign();
    return attempt;
  }

  /** Ends all threads; what waits and what runs fails. Resolves when the threads are gone. */
  close(): Promise<void> {
    if (this.#closed === null) {
      this.#closed = Promise.withResolvers();
      for (const task of this.posted) {
        if (this.posted.takeBack(task)) task.attempt.fail(closedError());
        else {
          task.attempt.failAtEnd(new LifecycleError("worker thread executor closed while the attempt was running"));
        }
      }
      for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
        next.fail(closedError());
      }
      for (const thread of this.#threads) thread.end();
      this.#resolveWhenEmpty();
    }
    return this.#closed.promise;
  }

  onFree(): void {
    this.#assign();
  }

  onCrash(): void {
    this.#crashed++;
  }

  onGone(thread: PoolThread, orphan: PostedTask | null, error: WorkerThreadHandlerError): void {
    this.#threads.delete(thread);
    if (orphan !== null) this.#postAgain(orphan, error);
    // Such threads would be started for the same attempt for ever.
    else if (thread.isUnlucky && thread.isReady) this.#blameNext(error);
    else if (thread.isUnlucky) this.#takeNext()?.fail(error);
    this.#resolveWhenEmpty();
    this.posted.board.forgetWatcher(thread.number);
    this.#assign();
    // It may have been woken for a task that it has not taken.
    this.#wake(this.posted.waiting);
  }

  /** Starts the threads that are missing, posts what can be posted, and has threads look at it. */
  #assign(): void {
    if (this.#closed !== null) return;
    if (this.#threads.size < this.#maxThreads) this.#startThreads();
    while (this.#waiting.size > 0 && this.#hasRoom()) {
      const attempt = this.#waiting.take() as ThreadAttempt;
      this.posted.post(attempt);
      this.#checking ??= setInterval(this.#check, CHECK_MS);
      // After the posting: a thread that does not sleep by now will see it, and so will the one that watches.
      if (this.posted.waiting > 1 || !this.posted.board.isWatched) this.#wake(1);
    }
  }

  /** Where the order may still change no more is posted than can be taken at once. */
  #hasRoom(): boolean {
    if (this.policy.isInOrder) return !this.posted.isFull;
    return this.posted.waiting < this.#free;
  }

  /** Threads that have nothing, those that start included and those that leftovers keep busy excluded. */
  get #free(): number {
    let free = 0;
    for (const thread of this.#threads) if (thread.isFree) free++;
    return free;
  }

  /** Wakes so many threads, if so many sleep. */
  #wake(count: number): void {
    let left = count;
    for (const thread of this.#threads) if (left > 0 && thread.wake()) left--;
    for (const thread of this.#threads) if (left > 0 && thread.call()) left--;
  }

  #startThreads(): void {
    // In this order: what is taken meanwhile must not be counted as free.
    let missing = this.posted.waiting + this.#waiting.size;
    missing -= this.#free;
    for (; missing > 0 && this.#threads.size < this.#maxThreads; missing--) {
      try {
        this.#threads.add(new PoolThread(this, ++this.#threadNumber));
      } catch (error) {
        this.#takeNext()?.fail(error);
      }
    }
  }

  readonly #check = (): void => {
    let unchecked = 0;
    for (const task of this.posted) {
      const taker = this.posted.takerOf(task);
      if (taker === 0) unchecked++;
      else if (!task.attempt.hasBegun) {
        task.attempt.begin();
        this.#thread(taker)?.hold();
      }
    }
    for (const thread of this.#threads) {
      if (thread.check(unchecked > 0) >= CHECK_LIMIT) this.#giveUp(thread);
    }
    this.#assign();
    this.#wake(this.posted.waiting);
    if (unchecked > 0 || this.#checking === null) return;
    clearInterval(this.#checking);
    this.#checking = null;
  };

  /** Something that a finished attempt has left behind keeps the thread from ever turning to the next one. */
  #giveUp(thread: PoolThread): void {
    // What keeps a thread that has run something is not to be blamed on an attempt that has not.
    if (!thread.endWhileLooking() || thread.wasUsed) return;
    this.#blameNext(new WorkerThreadHandlerError("the worker thread did not begin the attempt"));
  }

  /** A thread has not taken the attempt whose turn it was. That may be the attempt's fault. */
  #blameNext(error: WorkerThreadHandlerError): void {
    const task = this.posted.next;
    if (task === undefined) return;
    if (!task.attempt.wasPutBack) task.attempt.wasPutBack = true;
    else if (this.posted.takeBack(task)) task.attempt.fail(error);
  }

  #takeNext(): ThreadAttempt | undefined {
    const { next } = this.posted;
    if (next === undefined) return this.#waiting.take();
    return this.posted.takeBack(next) ? next.attempt : undefined;
  }

  #postAgain(task: PostedTask, error: WorkerThreadHandlerError): void {
    const { attempt } = task;
    if (this.#closed === null && !attempt.wasPutBack) {
      attempt.wasPutBack = true;
      this.posted.postAgain(task);
    } else {
      this.posted.remove(task);
      attempt.fail(this.#closed === null ? error : closedError());
    }
  }

  readonly #abort = async (
    attempt: ThreadAttempt,
    reason: unknown,
    graceMs: number,
  ): Promise<WorkExecutorAbortResult> => {
    const task = this.posted.of(attempt);
    const isOffList = task === undefined ? this.#waiting.delete(attempt) : this.posted.takeBack(task);
    const thread = task === undefined || isOffList ? undefined : this.#thread(this.posted.takerOf(task));
    if (task !== undefined && thread !== undefined) {
      if (task.isWhole) return thread.abort(task, reason, graceMs);
      // The thread is told when it asks.
      this.posted.remove(task);
    }
    attempt.fail(reason);
    this.#assign();
    return { terminated: false };
  };

  #thread(number: number): PoolThread | undefined {
    for (const thread of this.#threads) if (thread.number === number) return thread;
    return undefined;
  }

  #resolveWhenEmpty(): void {
    if (this.#threads.size === 0) this.#closed?.resolve();
  }
}

function closedError(): LifecycleError {
  return new LifecycleError("worker thread executor is closed");
}
