/** The public `transaction()`: a transaction of the application on a handle of its own. */
import { DatabaseSync } from "node:sqlite";
import { TransactionScopeError, ValidationError } from "riverqueue/driver";
import { BusyBackoff } from "../connection/busy-backoff.ts";
import { locationOf } from "../connection/database-location.ts";
import { isBusy, translateFailure } from "../connection/sqlite-failure.ts";
import { resolveTransactionOptions, type SqliteTransactionOptions } from "../driver-options.ts";
import { newFrame, runInFrame, surroundingLockHolder, type ScopeFrame } from "./scope-context.ts";

const OPERATION = "transaction";

/**
 * Runs `callback` in a transaction on `database`, begun with `BEGIN IMMEDIATE` and committed when the callback resolves;
 * when it throws, everything is rolled back and the error passed on. Give River's calls inside it
 * `{ tx: database }`, so that they belong to the transaction. `BEGIN` and `COMMIT` are tried again, without blocking
 * the event loop, for `busyTimeout` while another connection holds the lock. The callback may await freely; nobody else
 * writes to the database meanwhile.
 *
 * @returns what the callback resolved to.
 * @throws TransactionScopeError `nested` when a transaction is open on the handle or surrounds the call on the same
 * database, `no_transaction` when the callback ended the transaction itself; ValidationError for wrong arguments;
 * DatabaseOperationError (retryable) when the database stayed locked.
 */
export async function transaction<T>(
  database: DatabaseSync,
  callback: (tx: DatabaseSync) => PromiseLike<T> | T,
  options?: SqliteTransactionOptions,
): Promise<T> {
  checkArguments(database, callback);
  const { busyTimeoutMs } = resolveTransactionOptions(options);
  try {
    const frame = newFrame(locationOf(database).identity, "application");
    await begin(database, new BusyBackoff(busyTimeoutMs));
    return await runAndEnd(database, frame, callback, busyTimeoutMs);
  } catch (error) {
    throw translateFailure(error, OPERATION);
  }
}

function checkArguments(database: unknown, callback: unknown): void {
  if (!(database instanceof DatabaseSync)) throw new ValidationError("database: expected a DatabaseSync");
  if (!database.isOpen) throw new ValidationError("database: expected an open DatabaseSync, this one is closed");
  if (typeof callback !== "function") throw new ValidationError("callback: expected a function");
}

async function begin(database: DatabaseSync, backoff: BusyBackoff): Promise<void> {
  for (;;) {
    if (database.isTransaction || surroundingLockHolder(locationOf(database).identity) !== undefined) {
      throw new TransactionScopeError("nested", "transaction(): a transaction on this database is open already");
    }
    try {
      database.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      await backoff.pause(OPERATION, error);
    }
  }
}

async function runAndEnd<T>(
  database: DatabaseSync,
  frame: ScopeFrame,
  callback: (tx: DatabaseSync) => PromiseLike<T> | T,
  busyTimeoutMs: number,
): Promise<T> {
  frame.holdsLock = true;
  try {
    const result = await runInFrame(frame, () => callback(database));
    await commit(database, new BusyBackoff(busyTimeoutMs));
    return result;
  } catch (error) {
    if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
    throw error;
  } finally {
    frame.holdsLock = false;
  }
}

async function commit(database: DatabaseSync, backoff: BusyBackoff): Promise<void> {
  for (;;) {
    if (!database.isOpen || !database.isTransaction) {
      throw new TransactionScopeError("no_transaction", "transaction(): the callback ended the transaction itself");
    }
    try {
      database.exec("COMMIT");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      await backoff.pause(OPERATION, error);
    }
  }
}
