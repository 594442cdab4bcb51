/** Code around attempts. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import type { WorkOutcome } from "./outcome.ts";
import type { WorkAttemptContext, WorkContext } from "./work-context.ts";
import type { WorkAttemptResult } from "./work-result.ts";

/** Runs the rest of the attempt. Rejects as the attempt fails. Must be called exactly once. */
export type WorkMiddlewareNext = () => Promise<WorkOutcome | undefined>;

/**
 * Wraps attempts: calls `next` once, waits for it, and returns what the attempt shall end with. It may turn a failure into
 * a success and the other way round.
 */
export type WorkMiddleware<Tx = RegisteredTransaction> = (
  context: WorkAttemptContext<Tx>,
  next: WorkMiddlewareNext,
) => PromiseLike<WorkOutcome | undefined> | WorkOutcome | undefined;

/** Hooks around the handlers of one kind, or of all. */
export interface WorkerHooks<Tx = RegisteredTransaction> {
  /** Runs before the arguments are decoded; what it throws is the error of the attempt, and nothing further runs. */
  readonly beforeWork?: ((context: WorkAttemptContext<Tx>) => PromiseLike<void> | void) | undefined;
  /** Runs after the handler; a result it returns takes the place of the attempt's. */
  readonly afterWork?:
    | ((
        // Nothing is known about the job of whatever kind this is.
        context: WorkContext<JobDefinition, Tx>,
        result: WorkAttemptResult,
      ) => PromiseLike<WorkAttemptResult | void> | WorkAttemptResult | void)
    | undefined;
}

/** A named bundle of hooks and middleware for one kind. */
export interface WorkerPlugin<Tx = RegisteredTransaction> {
  readonly name: string;
  readonly hooks?: WorkerHooks<Tx> | undefined;
  readonly middleware?: WorkMiddleware<Tx> | readonly WorkMiddleware<Tx>[] | undefined;
}
