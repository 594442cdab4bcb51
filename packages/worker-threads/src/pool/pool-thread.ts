/**
 * One thread, as the pool sees it: wakes it, takes what it says, and finds out how it ended. A thread that has begun to end
 * takes no further attempt, and its place in the pool is free only when it is gone.
 */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type ResourceLimits,
  type Worker,
} from "node:worker_threads";
import { ConfigurationError, type WorkExecutorAbortResult } from "riverqueue";
import { encodeAbortReason } from "../crossing/abort-reason.ts";
import { decodeOutcome } from "../crossing/outcome-text.ts";
import { faultOf } from "../protocol/fault-of.ts";
import type { FromThread, InsertCall, Introduction, ThreadFault, Ticket, ToThread } from "../protocol/messages.ts";
import { send } from "../protocol/send.ts";
import {
  closeDuringTask,
  closeThread,
  closeWhileLooking,
  hasLoadedFor,
  isLeaving,
  isLoadingFor,
  isLooking,
  leave,
  makeThreadCells,
  markTaskAborted,
  wakeDozing,
  wakeIdle,
} from "../protocol/thread-cells.ts";
import type { WorkerThreadHandlerError } from "../worker-thread-handler-error.ts";
import { AttemptTelemetry } from "./attempt-telemetry.ts";
import { handlerError, lostThreadError } from "./handler-error.ts";
import type { PoolPolicy } from "./pool-policy.ts";
import type { PostedTask, PostedTasks } from "./posted-tasks.ts";
import { startWorker } from "./start-worker.ts";
import type { ThreadAttempt } from "./thread-attempt.ts";

/** What a thread needs of its pool, and tells it. */
export interface ThreadOwner {
  readonly policy: PoolPolicy;
  readonly resourceLimits: ResourceLimits | null;
  readonly posted: PostedTasks;
  /** An attempt has ended, and its thread goes on. */
  onFree(): void;
  /** Something went wrong in the thread that nobody asked for; once a thread. */
  onCrash(): void;
  /** The thread is gone. `orphan` is a task that it had taken and not been handed. */
  onGone(thread: PoolThread, orphan: PostedTask | null, error: WorkerThreadHandlerError): void;
}

/** Finished attempts whose log entries and stray errors can still be told to be theirs. */
const REMEMBERED_LOGGERS = 256;
/** Messages that are taken off the port at a time, which costs less than an event for each. */
const BATCH = 64;
/** Checks after which a thread that should be taking a task is not counted on. */
const LATE_CHECKS = 5;

/** See the file header. */
export class PoolThread {
  /** By which it marks what it has taken. */
  readonly number: number;
  readonly #owner: ThreadOwner;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #cells: Int32Array = makeThreadCells();
  readonly #telemetry: AttemptTelemetry = new AttemptTelemetry(REMEMBERED_LOGGERS);
  #wasUsed = false;
  /** Checks in a row at which it should have been taking a task. */
  #lateChecks = 0;
  /** Whether it keeps the process alive. */
  #isHeld = true;
  #isReady = false;
  #isEnding = false;
  #isCrashed = false;
  #workerError: unknown = null;
  /** What it has died of, when it could tell. */
  #deathFault: ThreadFault | null = null;

  constructor(owner: ThreadOwner, number: number) {
    this.#owner = owner;
    this.number = number;
    const { resourceLimits, policy, posted } = owner;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    try {
      this.#worker = startWorker(resourceLimits);
    } catch (error) {
      // With one end the other closes.
      port1.close();
      throw error;
    }
    const introduction: Introduction = {
      port: port2,
      thread: number,
      board: posted.board.memory,
      cells: this.#cells,
      inserts: policy.insert !== null,
      limits: policy.limits,
    };
    this.#worker.postMessage(introduction, [port2]);
    // These stay for the thread's life, so that nothing it does is an event that nobody listens to.
    this.#worker.on("error", (error: unknown) => (this.#workerError = error));
    this.#worker.on("exit", (code) => this.#gone(code));
    port1.on("message", (message: FromThread) => {
      this.#receive(message);
      this.#receiveWaiting(BATCH);
    });
    port1.unref();
  }

  /** Whether it has started. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether it has run anything. */
  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Whether it has gone wrong without ever having run anything. */
  get isUnlucky(): boolean {
    return this.#isCrashed && !this.#wasUsed;
  }

  /** Whether it takes attempts, now or when it has started. */
  get isUsable(): boolean {
    return !this.#isEnding && !isLeaving(this.#cells);
  }

  /** Whether it can be expected to take a task soon. */
  get isFree(): boolean {
    return this.isUsable && this.task === undefined && this.#lateChecks < LATE_CHECKS;
  }

  /** What it runs, as far as can be told from here. */
  get task(): PostedTask | undefined {
    return this.#owner.posted.takenBy(this.number);
  }

  /** Wakes it if it waits for work where it is, which costs little. False when it does not. */
  wake(): boolean {
    return wakeDozing(this.#cells);
  }

  /** Wakes it if it has nothing to do at all. False when it has. */
  call(): boolean {
    if (!wakeIdle(this.#cells)) return false;
    this.#post(["look"]);
    return true;
  }

  /** The attempt has begun here and takes a while: it counts, and the process is kept alive for it. */
  hold(): void {
    if (!this.#isHeld) this.#worker.ref();
    this.#isHeld = true;
  }

  /** @returns for how many checks in a row there was a task that it should have been taking. */
  check(isTaskWaiting: boolean): number {
    return (this.#lateChecks = isTaskWaiting && isLooking(this.#cells) ? this.#lateChecks + 1 : 0);
  }

  /** Ends it if it has still not taken anything. */
  endWhileLooking(): boolean {
    if (this.#isEnding || !closeWhileLooking(this.#cells)) return false;
    this.end();
    return true;
  }

  /** Asks the handler to stop, and ends the thread when it has not within `graceMs`. */
  abort(task: PostedTask, reason: unknown, graceMs: number): Promise<WorkExecutorAbortResult> {
    // The first abort is the one that counts; its timer must not outlive the attempt.
    if (task.abort !== null) return task.abort.promise;
    task.attempt.begin();
    this.hold();
    this.#post(["abort", task.ticket, encodeAbortReason(reason)]);
    markTaskAborted(this.#cells, task.ticket);
    const { promise, resolve } = Promise.withResolvers<WorkExecutorAbortResult>();
    const timer = setTimeout(() => this.#force(task), graceMs);
    task.abort = { reason, promise, resolve, timer, isForced: false };
    return promise;
  }

  /** Ends the thread by force. What it runs fails when it is gone. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    closeThread(this.#cells);
    // The exit is waited for by its event.
    void this.#worker.terminate();
  }

  /** Only if it has not gone on to another attempt: then the end of this one is on its way. */
  #force(task: PostedTask): void {
    if (this.#isEnding || !closeDuringTask(this.#cells, task.ticket)) return;
    if (task.abort !== null) task.abort.isForced = true;
    this.end();
  }

  #receiveWaiting(limit: number): void {
    for (let taken = 0; taken < limit; taken++) {
      const next = receiveMessageOnPort(this.#port);
      if (next === undefined) return;
      this.#receive(next.message as FromThread);
    }
  }

  #receive(message: FromThread): void {
    switch (message[0]) {
      case "ready":
        return this.#becomeReady();
      case "fetch":
        return this.#hand(message[1]);
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
      case "leaving":
        return this.end();
    }
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#letGo();
  }

  #letGo(): void {
    if (!this.#isHeld || this.task?.attempt.hasBegun === true) return;
    this.#worker.unref();
    this.#isHeld = false;
  }

  /** Sends what the board had no place for. */
  #hand(ticket: Ticket): void {
    // What a thread that is ending has not been handed can be given to another.
    if (this.#isEnding) return;
    const posted = this.#taskOf(ticket);
    if (posted === undefined) return this.#post(["task", ticket, null]);
    try {
      this.#post(["task", ticket, posted.attempt.task]);
      posted.isWhole = true;
    } catch (cause) {
      this.#owner.posted.remove(posted);
      this.#post(["task", ticket, null]);
      posted.attempt.fail(
        new ConfigurationError("job arguments cannot cross to a worker thread: they have changed", { cause }),
      );
      this.#owner.onFree();
    }
  }

  #record(message: Parameters<AttemptTelemetry["record"]>[0]): void {
    const task = this.#taskOf(message[1]);
    try {
      this.#telemetry.record(message, task?.attempt.context);
    } catch (error) {
      if (task === undefined) return;
      task.attempt.failAtEnd(error);
      leave(this.#cells);
      if (closeDuringTask(this.#cells, task.ticket)) this.end();
      // The handler has ended, and something else may run by now: the thread leaves after that.
      else if (!this.wake()) this.call();
    }
  }

  async #insert(ticket: Ticket, call: number, items: readonly InsertCall[]): Promise<void> {
    const { insert } = this.#owner.policy;
    const task = this.#taskOf(ticket);
    if (insert === null || task === undefined) return;
    try {
      this.#post(["inserted", call, await insert(task.attempt, items), null]);
    } catch (error) {
      this.#post(["inserted", call, null, faultOf(error, "handler")]);
    }
  }

  #settle(message: Extract<FromThread, readonly ["done" | "failed", ...unknown[]]>): void {
    const [type, ticket, result] = message;
    const task = this.#taskOf(ticket);
    if (task === undefined) return;
    const { attempt, abort } = task;
    this.#finish(task);
    this.#letGo();
    const fault = type === "failed" ? result : null;
    this.#owner.policy.onLoaded(attempt, fault?.origin === "handler" ? null : fault);
    if (fault !== null) attempt.fail(handlerError(fault, abort?.reason));
    else if (type === "done") succeed(attempt, result);
    this.#owner.onFree();
  }

  /** The thread is about to end by itself. */
  #died(ticket: Ticket, fault: ThreadFault): void {
    this.#deathFault = fault;
    const task = this.#taskOf(ticket);
    task?.attempt.failAtEnd(handlerError(fault, task.abort?.reason));
  }

  /** The thread goes on for as long as its present attempt does. */
  #stray(ticket: Ticket, jobId: string, fault: ThreadFault): void {
    this.#crash();
    const { task } = this;
    this.#telemetry.logStray(ticket, jobId, handlerError(fault, undefined), task?.attempt.context);
    if (task === undefined) this.end();
  }

  #crash(): void {
    if (this.#isCrashed) return;
    this.#isCrashed = true;
    this.#owner.onCrash();
  }

  #gone(code: number): void {
    const wasEnding = this.#isEnding;
    this.#isEnding = true;
    this.#receiveWaiting(Infinity);
    if (!wasEnding) this.#crash();
    this.#port.close();
    const lost = lostThreadError(this.#workerError, code);
    let orphan: PostedTask | null = null;
    // There are several when a handler has closed the thread's port: then the ends of what it ran next have not arrived.
    for (const task of this.#owner.posted) {
      if (this.#owner.posted.takerOf(task) !== this.number) continue;
      if (!task.isWhole) orphan = task;
      else {
        this.#finish(task);
        this.#noteLoading(task, this.#deathFault ?? faultOf(lost, "module"), wasEnding);
        task.attempt.fail(lost);
      }
    }
    this.#owner.onGone(this, orphan, lost);
  }

  /** The thread is gone. Whether its handler could be loaded is not known when the client has ended it meanwhile. */
  #noteLoading({ attempt, ticket }: PostedTask, fault: ThreadFault, wasEnding: boolean): void {
    if (hasLoadedFor(this.#cells, ticket)) this.#owner.policy.onLoaded(attempt, null);
    else if (!wasEnding && isLoadingFor(this.#cells, ticket)) this.#owner.policy.onLoaded(attempt, fault);
  }

  /** The attempt has ended, or is gone with its thread. */
  #finish(task: PostedTask): void {
    this.#owner.posted.remove(task);
    this.#telemetry.end(task.ticket, task.attempt.context);
    this.#wasUsed = true;
    this.#lateChecks = 0;
    if (task.abort === null) return;
    clearTimeout(task.abort.timer);
    task.abort.resolve({ terminated: task.abort.isForced });
  }

  /** The task of that number, if it is here and has not ended. */
  #taskOf(ticket: Ticket): PostedTask | undefined {
    const task = this.#owner.posted.find(ticket);
    return task !== undefined && this.#owner.posted.takerOf(task) === this.number ? task : undefined;
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
