/** How operations take a transaction of the application. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";

/** Options of every operation that touches the database. */
export interface TransactionOptions<Tx = RegisteredTransaction> {
  /**
   * An open transaction, in which the operation's statements run directly, without a savepoint. River never commits it or
   * rolls it back, and what a failed call has already written stays in it.
   */
  readonly tx?: Tx | undefined;
}
