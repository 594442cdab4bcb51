/** One attempt in the pool, as the core holds it: what it is to run, and the promises that are kept to the core. */
import type {
  WorkContext,
  WorkExecutorAbortOptions,
  WorkExecutorAbortResult,
  WorkExecutorHandle,
  WorkOutcome,
} from "riverqueue";
import type { Task } from "../protocol/messages.ts";

/** Aborts an attempt wherever it is. */
export type AbortAttempt = (
  attempt: ThreadAttempt,
  reason: unknown,
  graceMs: number,
) => Promise<WorkExecutorAbortResult>;

/** Longest delay of a timer. */
const TIMER_LIMIT_MS = 2_147_483_647;

/** See the file header. */
export class ThreadAttempt implements WorkExecutorHandle {
  readonly task: Task;
  /** Where what the handler logs and records goes. */
  readonly context: WorkContext;
  /** Attempts of a lower level get threads first. */
  readonly level: number;
  readonly result: Promise<WorkOutcome | undefined>;
  readonly started: Promise<void>;
  /** Whether a thread ended before it took this attempt: that is forgiven once. */
  wasPutBack = false;
  readonly #abortAttempt: AbortAttempt;
  readonly #settle: PromiseWithResolvers<WorkOutcome | undefined> = Promise.withResolvers();
  readonly #start: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(task: Task, context: WorkContext, level: number, abortAttempt: AbortAttempt) {
    this.task = task;
    this.context = context;
    this.level = level;
    this.#abortAttempt = abortAttempt;
    this.result = this.#settle.promise;
    this.started = this.#start.promise;
    // Whoever started the attempt may have no interest in how it ends; that is nobody's unhandled rejection.
    this.result.catch(ignore);
  }

  /** A thread runs the handler. */
  begin(): void {
    this.#start.resolve();
  }

  succeed(outcome: WorkOutcome | undefined): void {
    this.#start.resolve();
    this.#settle.resolve(outcome);
  }

  fail(error: unknown): void {
    this.#settle.reject(error);
  }

  abort(reason: unknown, { gracePeriod }: WorkExecutorAbortOptions): Promise<WorkExecutorAbortResult> {
    const graceMs = gracePeriod.total({ unit: "milliseconds" });
    return this.#abortAttempt(this, reason, Math.min(graceMs, TIMER_LIMIT_MS));
  }
}

function ignore(): void {}
