/** Lending connections: who gets one, for how long, and what becomes of it when its user gave up waiting. */
import type { PgConnection } from "./pg-connection.ts";
import { TimeLimit } from "./time-limit.ts";

/** A connection lent for one use. Exactly one of the two methods is called, once. */
export interface Loan {
  readonly connection: PgConnection;
  /** Gives it back. */
  release(): void;
  /** Gives it back while `work` is still running on it, which nobody waits for any more. */
  abandon(work: Promise<unknown>): void;
}

/** Lends connections of one kind. */
export interface Lender {
  acquire(operation: string): Promise<Loan>;
}

/** Limits of one use. */
export interface UseLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs `use` on a lent connection. When a limit passes it rejects at once, and the statement is cancelled behind it. */
export async function withLoan<T>(
  lender: Lender,
  operation: string,
  { timeoutMs, signal }: UseLimits,
  use: (connection: PgConnection) => Promise<T>,
): Promise<T> {
  using limit = new TimeLimit(operation, timeoutMs, signal);
  limit.check();
  const loan = await acquireWithin(lender, operation, limit);
  const work = use(loan.connection);
  try {
    const result = await limit.race(work);
    loan.release();
    return result;
  } catch (error) {
    if (limit.passed) loan.abandon(work);
    else loan.release();
    throw error;
  }
}

/** A connection, unless the limit passes first. */
export async function acquireWithin(lender: Lender, operation: string, limit: TimeLimit): Promise<Loan> {
  const arriving = lender.acquire(operation);
  try {
    return await limit.race(arriving);
  } catch (error) {
    // A connection that arrives too late goes back at once.
    if (limit.passed) arriving.then((loan) => loan.release()).catch(() => {});
    throw error;
  }
}
