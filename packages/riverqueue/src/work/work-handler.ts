/** Code of the application that works jobs. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import type { WorkOutcome } from "./outcome.ts";
import type { WorkContext } from "./work-context.ts";

/** What a handler returns: nothing or an outcome, now or later. Anything else fails the attempt. */
export type WorkHandlerResult = PromiseLike<WorkOutcome | void> | WorkOutcome | void;

/** Works one job of a definition. It succeeds by returning and fails by throwing. */
export type WorkHandler<Definition extends JobDefinition = JobDefinition, Tx = RegisteredTransaction> = (
  context: WorkContext<Definition, Tx>,
) => WorkHandlerResult;

/** Makes a handler for each attempt, for handlers that hold state. */
export interface WorkHandlerFactory<Definition extends JobDefinition = JobDefinition, Tx = RegisteredTransaction> {
  /** Called once an attempt, under its timeout; what it throws fails the attempt. */
  createWorkHandler(
    context: WorkContext<Definition, Tx>,
  ): PromiseLike<WorkHandler<Definition, Tx>> | WorkHandler<Definition, Tx>;
}
