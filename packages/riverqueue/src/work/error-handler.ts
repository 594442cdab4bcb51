/** Code of the application that is told about failed attempts. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { ErrorHandlerContext } from "./work-context.ts";

/** What an error handler may ask for. */
export interface ErrorHandlerResult {
  /** True cancels the job; its error stays the one at hand. */
  readonly cancel?: boolean | undefined;
}

/**
 * Called once for each attempt that failed, above all middleware and hooks, before the failure is stored: for what
 * handlers throw, timeouts, unknown kinds and arguments that do not decode; for an attempt that failed after its job was
 * cancelled only if it is a runtime fault. Not for snoozes, discards, cancellations and interruptions. What it throws, and
 * an answer that is neither nothing nor an `ErrorHandlerResult`, is logged as an error and changes nothing.
 */
export type RiverErrorHandler<Tx = RegisteredTransaction> = (
  context: ErrorHandlerContext<Tx>,
  error: unknown,
) => ErrorHandlerResult | PromiseLike<ErrorHandlerResult | void> | void;
