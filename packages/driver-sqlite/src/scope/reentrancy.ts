/** Refuses calls that would wait for a transaction which waits for them. */
import { TransactionScopeError } from "riverqueue/driver";
import type { UnitMode } from "../connection/private-connection.ts";
import { surroundingLockHolder } from "./scope-context.ts";

/**
 * A call without a scope inside River's own transaction can never run, and a write not inside the application's either.
 *
 * @throws TransactionScopeError `reentrant`.
 */
export function assertNotReentrant(identity: string, mode: UnitMode, operation: string): void {
  const holder = surroundingLockHolder(identity);
  if (holder === undefined || (holder.owner === "application" && mode === "read")) return;
  const message =
    holder.owner === "application"
      ? `${operation} inside a transaction() callback would wait for itself: pass { tx }`
      : `${operation} inside an insertion of River's would wait for itself: call it before next() or afterwards`;
  throw new TransactionScopeError("reentrant", message);
}
