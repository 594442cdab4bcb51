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
  /** Whether a thread ended without having taken this attempt, for which it was started: that is forgiven once. */
  wasPutBack = false;
  #hasBegun = false;
  readonly #abortAttempt: AbortAttempt;
  /** What it fails with however it ends; null: with what comes of it. */
  #doom: { readonly error: unknown } | null = null;
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

  /** Whether it is known that a thread runs the handler. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** A thread runs the handler. */
  begin(): void {
    this.#hasBegun = true;
    this.#start.resolve();
  }

  succeed(outcome: WorkOutcome | undefined): void {
    if (this.#doom !== null) return this.fail(this.#doom.error);
    this.begin();
    this.#settle.resolve(outcome);
  }

  fail(error: unknown): void {
    this.#settle.reject(this.#doom === null ? error : this.#doom.error);
  }

  /** Has it fail with `error` when its handler has settled or is gone. The first call counts. */
  failAtEnd(error: unknown): void {
    this.#doom ??= { error };
  }

  abort(reason: unknown, { gracePeriod }: WorkExecutorAbortOptions): Promise<WorkExecutorAbortResult> {
    const graceMs = gracePeriod.total({ unit: "milliseconds" });
    return this.#abortAttempt(this, reason, Math.min(graceMs, TIMER_LIMIT_MS));
  }
}

function ignore(): void {}
