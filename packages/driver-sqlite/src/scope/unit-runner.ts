/**
 * Where a verb runs: in the application's transaction, in River's, or as a unit of its own on the private connection.
 * Turns every SQLite error into a `DatabaseOperationError`.
 */
import { DatabaseSync } from "node:sqlite";
import { BackendMismatchError, TransactionScopeError, type DriverCall, type OwnScope } from "riverqueue/driver";
import { BusyBackoff } from "../connection/busy-backoff.ts";
import { locationOf } from "../connection/database-location.ts";
import type { Durability, PrivateConnection, UnitMode } from "../connection/private-connection.ts";
import { SqliteConnection } from "../connection/sqlite-connection.ts";
import { isBusy, isStaleSnapshot, translateFailure } from "../connection/sqlite-failure.ts";
import { assertNotReentrant } from "./reentrancy.ts";
import { RiverTransaction, type TransactionOptions } from "./river-transaction.ts";
import { Unit } from "./unit.ts";

type Call = DriverCall<DatabaseSync> | undefined;

/** What a runner needs from its driver. */
export interface UnitRunnerOptions {
  readonly busyTimeoutMs: number;
  /** Called after a commit on the private connection that wrote to the outbox. */
  readonly onNoticesCommitted: () => void;
  /**
   * The runtime's own work. It may be set off from inside an application's transaction without being part of it, so
   * it waits for that one's end like any other connection instead of being refused.
   */
  readonly background: boolean;
}

/** Runs verbs. */
export class UnitRunner {
  readonly #connection: PrivateConnection;
  readonly #options: UnitRunnerOptions;

  constructor(connection: PrivateConnection, options: UnitRunnerOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Runs statements that change nothing. */
  read<T>(operation: string, call: Call, body: (unit: Unit) => T): Promise<T> {
    return this.#run("read", operation, call, body);
  }

  /** Runs one statement that SQLite makes atomic by itself. */
  change<T>(operation: string, call: Call, body: (unit: Unit) => T): Promise<T> {
    return this.#run("statement", operation, call, body);
  }

  /** Runs several statements as one transaction. */
  transact<T>(operation: string, call: Call, body: (unit: Unit) => T, durability?: Durability): Promise<T> {
    return this.#run("transaction", operation, call, body, durability);
  }

  /** Runs `body`, in which code of the application takes part, in a transaction of River's. */
  async transaction<T>(body: (scope: OwnScope) => Promise<T>, options: TransactionOptions): Promise<T> {
    this.assertFree("transaction");
    const transaction = new RiverTransaction(this.#connection, options, this.#options.busyTimeoutMs);
    try {
      const result = await transaction.run(body);
      if (transaction.wroteNotices) this.#options.onNoticesCommitted();
      return result;
    } catch (error) {
      throw translateFailure(error, "transaction");
    }
  }

  /** @throws TransactionScopeError `reentrant` when a write from here would wait for itself. */
  assertFree(operation: string): void {
    if (!this.#options.background) assertNotReentrant(this.#connection.identity, "transaction", operation);
  }

  async #run<T>(
    mode: UnitMode,
    operation: string,
    call: Call,
    body: (unit: Unit) => T,
    durability?: Durability,
  ): Promise<T> {
    try {
      const scope = call?.scope;
      if (scope?.owner === "caller") return await this.#inCallersTransaction(operation, scope.tx, call, body);
      if (scope?.owner === "river") return await riverTransaction(scope.handle).use(this.#connection, call?.now, body);
      if (!this.#options.background) assertNotReentrant(this.#connection.identity, mode, operation);
      return await this.#alone(mode, operation, call, body, durability);
    } catch (error) {
      throw translateFailure(error, operation);
    }
  }

  async #alone<T>(
    mode: UnitMode,
    operation: string,
    call: Call,
    body: (unit: Unit) => T,
    durability: Durability | undefined,
  ): Promise<T> {
    let wroteNotices = false;
    const tryOnce = (): T => {
      const unit = new Unit(this.#connection.statements, call?.now);
      const result = body(unit);
      wroteNotices = unit.wroteNotices;
      return result;
    };
    const result = await this.#connection.run(mode, operation, this.#backoff(call), tryOnce, durability);
    if (wroteNotices) this.#options.onNoticesCommitted();
    return result;
  }

  /** A lock is waited for as well, as long as the transaction can still get it. */
  async #inCallersTransaction<T>(operation: string, tx: unknown, call: Call, body: (unit: Unit) => T): Promise<T> {
    const backoff = this.#backoff(call);
    for (;;) {
      const connection = this.#callersConnection(tx);
      try {
        return body(new Unit(connection, call?.now));
      } catch (error) {
        if (!isBusy(error) || isStaleSnapshot(error)) throw error;
        await backoff.pause(operation, error);
      }
    }
  }

  #callersConnection(tx: unknown): SqliteConnection {
    this.#connection.assertOpen();
    if (!(tx instanceof DatabaseSync)) {
      throw new BackendMismatchError("sqlite", "tx: expected a DatabaseSync with an open transaction");
    }
    if (!tx.isOpen || !tx.isTransaction) {
      throw new TransactionScopeError("no_transaction", "tx: expected a DatabaseSync with an open transaction");
    }
    if (locationOf(tx).identity !== this.#connection.identity) {
      throw new BackendMismatchError("sqlite", "tx: expected a handle on the database of this driver");
    }
    return SqliteConnection.of(tx);
  }

  #backoff(call: Call): BusyBackoff {
    return new BusyBackoff(Math.min(call?.timeoutMs ?? Infinity, this.#options.busyTimeoutMs));
  }
}

function riverTransaction(handle: object): RiverTransaction {
  if (handle instanceof RiverTransaction) return handle;
  throw new BackendMismatchError("sqlite", "scope: expected a scope of this driver's transaction()");
}
