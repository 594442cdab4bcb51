/**
 * Cancelling a statement from another connection. That one may be as stuck as the first: when it does not answer in time
 * it is closed, without a cancellation of its own.
 */
import { CANCEL_BACKEND } from "../sql/schema/cancel-backend.ts";
import type { BackendIdentity } from "./backend-identity.ts";
import type { Lender } from "./lender.ts";
import { TimeLimit } from "./time-limit.ts";

const OPERATION = "cancel";

/** How long a cancelled statement may take to end, and the cancellation itself, in milliseconds. */
export const END_OF_CANCELLED_MS = 5_000;

/** Cancels what the process is doing, if it is still the same one. Rejects when that fails or takes too long. */
export async function cancelFrom(lender: Lender, { processId, startedAt }: BackendIdentity): Promise<void> {
  const loan = await lender.acquire(OPERATION);
  using limit = new TimeLimit(OPERATION, END_OF_CANCELLED_MS);
  try {
    await limit.race(loan.connection.run(OPERATION, CANCEL_BACKEND, [processId, startedAt]));
  } finally {
    if (limit.passed) loan.connection.markBroken();
    loan.release();
  }
}
