import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/**
 * What was wrong with the transaction: `event_loop_turn` it was still open at the loop's next turn, `nested` one was
 * begun inside another, `no_transaction` the handle has none open, `reentrant` a call without `{ tx }` came from inside.
 */
export type TransactionScopeErrorReason = "event_loop_turn" | "nested" | "no_transaction" | "reentrant";

/** A transaction was used in a way that would wait for itself, hold the write lock too long or write outside it. */
export class TransactionScopeError extends RiverError {
  static {
    this.prototype.name = "TransactionScopeError";
  }

  declare readonly code: "transaction_scope";
  readonly reason: TransactionScopeErrorReason;

  constructor(reason: TransactionScopeErrorReason, message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.transactionScope });
    this.reason = reason;
  }
}
