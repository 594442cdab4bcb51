/**
 * One thread, as the pool sees it: offers it attempts, takes what it says, and finds out how it ended. A thread that has
 * begun to end gets no further attempt, and its place in the pool is free only when it is gone.
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type ResourceLimits,
  type Worker,
} from "node:worker_threads";
import type { WorkExecutorAbortResult } from "riverqueue";
import { encodeAbortReason } from "../crossing/abort-reason.ts";
import { decodeOutcome } from "../crossing/outcome-text.ts";
import { faultOf } from "../protocol/fault-of.ts";
import type { FromThread, InsertCall, Introduction, TaskNumber, ThreadFault, ToThread } from "../protocol/messages.ts";
import { send } from "../protocol/send.ts";
import {
  announceTask,
  isTaskTaken,
  makeTaskCells,
  markTaskAborted,
  offerTask,
  takeBackTask,
} from "../protocol/task-cells.ts";
import type { WorkerThreadHandlerError } from "../worker-thread-handler-error.ts";
import { AttemptTelemetry } from "./attempt-telemetry.ts";
import { handlerError, lostThreadError } from "./handler-error.ts";
import type { PoolPolicy, ThreadUse } from "./pool-policy.ts";
import { startWorker } from "./start-worker.ts";
import type { ThreadAttempt } from "./thread-attempt.ts";

/** What a thread tells its pool. */
export interface ThreadOwner {
  readonly policy: PoolPolicy;
  readonly resourceLimits: ResourceLimits | null;
  /** The thread has started and can run its first attempt. */
  onReady(thread: PoolThread): void;
  /** The thread can run another attempt. */
  onFree(thread: PoolThread): void;
  /** Something went wrong in the thread that nobody asked for; once a thread. */
  onCrash(): void;
  /** The thread is gone. `orphan` is an attempt that it had been offered and had not taken. */
  onGone(thread: PoolThread, orphan: ThreadAttempt | null, error: WorkerThreadHandlerError): void;
}

/** An abort that waits for its attempt to end. */
interface PendingAbort {
  readonly reason: unknown;
  readonly promise: Promise<WorkExecutorAbortResult>;
  readonly resolve: (result: WorkExecutorAbortResult) => void;
  readonly timer: NodeJS.Timeout;
}

/** Finished attempts whose log entries and stray errors can still be told to be theirs. */
const REMEMBERED_LOGGERS = 256;

/** See the file header. */
export class PoolThread {
  readonly #owner: ThreadOwner;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #cells: Int32Array = makeTaskCells();
  readonly #startedAt: number = performance.now();
  readonly #telemetry: AttemptTelemetry = new AttemptTelemetry(REMEMBERED_LOGGERS);
  #task: TaskNumber = 0;
  #attempt: ThreadAttempt | null = null;
  /** Checks that have found the offer not taken; null when there is nothing to check. */
  #checks: number | null = null;
  #abort: PendingAbort | null = null;
  #isReady = false;
  #isEnding = false;
  #isCrashed = false;
  /** What the running attempt fails with once the thread is gone; null: with the way it ended. */
  #failure: { readonly error: unknown } | null = null;
  #workerError: unknown = null;
  #heapBytes = 0;

  constructor(owner: ThreadOwner) {
    this.#owner = owner;
    const { resourceLimits, policy } = owner;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = startWorker(resourceLimits);
    const { insert, reportsHeap } = policy;
    const introduction: Introduction = { port: port2, cells: this.#cells, inserts: insert !== null, reportsHeap };
    this.#worker.postMessage(introduction, [port2]);
    // These stay for the thread's life, so that nothing it does is an event that nobody listens to.
    this.#worker.on("error", (error: unknown) => (this.#workerError = error));
    this.#worker.on("exit", (code) => this.#gone(code));
    port1.on("message", (message: FromThread) => this.#receive(message));
    port1.unref();
  }

  /** Whether it has started and is not ending. */
  get isUsable(): boolean {
    return this.#isReady && !this.#isEnding;
  }

  /** Whether it has started. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get attempt(): ThreadAttempt | null {
    return this.#attempt;
  }

  get use(): ThreadUse {
    return { attempts: this.#task, ageMs: performance.now() - this.#startedAt, heapBytes: this.#heapBytes };
  }

  /** Hands a free thread an attempt. */
  offer(attempt: ThreadAttempt): void {
    const task = ++this.#task;
    this.#attempt = attempt;
    this.#checks = 0;
    this.#telemetry.begin(task, attempt.context);
    offerTask(this.#cells, task);
    const { moduleUrl, exportName, job, clonedArgs } = attempt.task;
    this.#post(["run", task, moduleUrl, exportName, job, clonedArgs]);
    announceTask(this.#cells, task);
  }

  /**
   * Notes that the thread has taken its attempt: what takes longer than a check counts against the job's time and keeps
   * the process alive.
   *
   * @returns whether it has still not taken it, after how many checks.
   */
  check(): number | null {
    if (this.#checks === null) return null;
    if (!isTaskTaken(this.#cells, this.#task)) return ++this.#checks;
    this.#checks = null;
    this.#attempt?.begin();
    this.#worker.ref();
    return null;
  }

  /** Takes back an attempt that the thread has not taken. Null when it has. */
  takeBack(): ThreadAttempt | null {
    if (!takeBackTask(this.#cells, this.#task)) return null;
    return this.#detach();
  }

  /** Asks the handler to stop, and ends the thread when it has not within `graceMs`. The attempt has been taken. */
  abort(reason: unknown, graceMs: number): Promise<WorkExecutorAbortResult> {
    // The first abort is the one that counts; its timer must not outlive the attempt.
    if (this.#abort !== null) return this.#abort.promise;
    this.check();
    this.#post(["abort", this.#task, encodeAbortReason(reason)]);
    markTaskAborted(this.#cells, this.#task);
    const { promise, resolve } = Promise.withResolvers<WorkExecutorAbortResult>();
    this.#abort = { reason, promise, resolve, timer: setTimeout(() => this.end(), graceMs) };
    return promise;
  }

  /** Ends the thread by force. Its attempt, if it has one, fails with `failure` when the thread is gone. */
  end(failure?: unknown): void {
    this.#failure ??= failure === undefined ? null : { error: failure };
    if (this.#isEnding) return;
    this.#isEnding = true;
    // The exit is waited for by its event.
    void this.#worker.terminate();
  }

  /** Has no attempt any more: is given to the next one, or replaced. */
  release(): void {
    if (this.#isEnding) return;
    if (this.#isCrashed || this.#owner.policy.isSpent(this.use)) this.end();
    else this.#owner.onFree(this);
  }

  #receive(message: FromThread): void {
    switch (message[0]) {
      case "ready":
        return this.#becomeReady();
      case "log":
      case "output":
      case "metadata":
        return this.#record(message);
      case "insert":
        return void this.#insert(message[1], message[2], message[3]);
      case "done":
      case "failed":
        return this.#settle(message);
      case "died":
        return this.#died(message[1], message[2]);
      case "stray":
        return this.#stray(message[1], message[2], message[3]);
    }
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#worker.unref();
    if (!this.#isEnding) this.#owner.onReady(this);
  }

  #record(message: Parameters<AttemptTelemetry["record"]>[0]): void {
    try {
      this.#telemetry.record(message);
    } catch (error) {
      if (message[1] === this.#task && this.#attempt !== null) this.end(error);
    }
  }

  async #insert(task: TaskNumber, call: number, items: readonly InsertCall[]): Promise<void> {
    const { insert } = this.#owner.policy;
    const attempt = this.#attempt;
    if (insert === null || attempt === null || task !== this.#task) return;
    try {
      this.#post(["inserted", call, await insert(attempt, items), null]);
    } catch (error) {
      this.#post(["inserted", call, null, faultOf(error, "handler")]);
    }
  }

  #settle(message: Extract<FromThread, readonly ["done" | "failed", ...unknown[]]>): void {
    const [type, task, result, heapBytes] = message;
    const abort = this.#abort;
    if (task !== this.#task || this.#attempt === null) return;
    const attempt = this.#detach();
    this.#heapBytes = heapBytes;
    abort?.resolve({ terminated: false });
    const fault = type === "failed" ? result : null;
    this.#owner.policy.onLoaded(attempt, fault?.origin === "handler" ? null : fault);
    if (this.#failure !== null) attempt.fail(this.#failure.error);
    else if (fault !== null) attempt.fail(handlerError(fault, abort?.reason));
    else if (type === "done") succeed(attempt, result);
    // A module that has failed stays failed in its thread.
    if (fault?.origin === "module") this.end();
    this.release();
  }

  /** The thread is about to end by itself. */
  #died(task: TaskNumber, fault: ThreadFault): void {
    if (task === this.#task) this.#failure ??= { error: handlerError(fault, this.#abort?.reason) };
  }

  /** The thread goes on for as long as its present attempt does. */
  #stray(task: TaskNumber, jobId: string, fault: ThreadFault): void {
    this.#crash();
    this.#telemetry.logStray(task, jobId, handlerError(fault, undefined));
    if (this.#attempt === null) this.end();
  }

  #crash(): void {
    if (this.#isCrashed) return;
    this.#isCrashed = true;
    this.#owner.onCrash();
  }

  #gone(code: number): void {
    const wasEnding = this.#isEnding;
    this.#isEnding = true;
    for (let left = receiveMessageOnPort(this.#port); left !== undefined; left = receiveMessageOnPort(this.#port)) {
      this.#receive(left.message as FromThread);
    }
    if (!wasEnding) this.#crash();
    this.#port.close();
    const lost = lostThreadError(this.#workerError, code);
    const orphan = this.#attempt !== null && this.#failure === null ? this.takeBack() : null;
    const abort = this.#abort;
    const attempt = this.#attempt === null ? null : this.#detach();
    abort?.resolve({ terminated: wasEnding && this.#failure === null });
    attempt?.fail(this.#failure === null ? lost : this.#failure.error);
    this.#owner.onGone(this, orphan, lost);
  }

  #detach(): ThreadAttempt {
    const attempt = this.#attempt as ThreadAttempt;
    this.#attempt = null;
    this.#telemetry.end();
    if (this.#checks === null) this.#worker.unref();
    this.#checks = null;
    clearTimeout(this.#abort?.timer);
    this.#abort = null;
    return attempt;
  }

  #post(message: ToThread): void {
    send(this.#port, message);
  }
}

/** A value that only has the mark of an outcome fails its attempt, and nothing else. */
function succeed(attempt: ThreadAttempt, outcome: string | null): void {
  try {
    attempt.succeed(outcome === null ? undefined : decodeOutcome(outcome));
  } catch (error) {
    attempt.fail(error);
  }
}
