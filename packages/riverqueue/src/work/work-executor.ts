/** The contract of executors, which run handlers somewhere else than in the turn of the client's own event loop. */
import type { JsonObject } from "../json/json-value.ts";
import type { WorkOutcome } from "./outcome.ts";
import type { WorkContext } from "./work-context.ts";

/** Options of {@link WorkExecutorHandle.abort}. */
export interface WorkExecutorAbortOptions {
  /** How long the handler may take to stop by itself: the client's `jobStuckThreshold`. */
  readonly gracePeriod: Temporal.Duration;
}

/** What became of an aborted handler. */
export interface WorkExecutorAbortResult {
  /** Whether it was ended by force; false when it settled by itself or had never started. */
  readonly terminated: boolean;
}

/** One attempt inside an executor. */
export interface WorkExecutorHandle {
  /** Settles as the handler does, at the latest when it has been ended by force. */
  readonly result: PromiseLike<WorkOutcome | undefined>;
  /** Resolves when the handler starts; absent when it starts at once. Timeout and stuck watch begin here. */
  readonly started?: PromiseLike<void> | undefined;
  /**
   * Asks the handler to stop, called at most once; takes an attempt that waits to start off the waiting list. Resolves
   * when the handler has settled or is gone.
   */
  abort(reason: unknown, options: WorkExecutorAbortOptions): PromiseLike<WorkExecutorAbortResult>;
}

/** Runs handlers for a client. The application owns it: a client starts attempts and never closes it. */
export interface WorkExecutor {
  /** Under which its figures appear in the diagnostics. */
  readonly name: string;
  /**
   * Starts an attempt of a job whose arguments passed their definition.
   *
   * @param handler - the `handler` of the target that was registered.
   * @throws whatever makes the attempt fail without being run.
   */
  start(context: WorkContext, handler: unknown): WorkExecutorHandle;
  /** Figures for `run.diagnostics.executors`. */
  diagnostics?(): JsonObject;
}

/** What an executor package makes of a handler, for `Workers.addExecutor`. */
export interface WorkExecutorTarget {
  readonly executor: WorkExecutor;
  /** Means something to that executor only. */
  readonly handler: unknown;
}
