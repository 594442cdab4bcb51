/** Where a verb runs: in the application's transaction, in River's, or as a unit of its own on a lent connection. */
import { BackendMismatchError, TransactionScopeError, type DriverCall, type Scope } from "riverqueue/driver";
import type { Dialect } from "../connection/dialect.ts";
import { ForeignTransaction } from "../connection/foreign-transaction.ts";
import { withLoan, type Lender, type UseLimits } from "../connection/lender.ts";
import { PgConnection, type StatementRunner } from "../connection/pg-connection.ts";
import { isPgClient, isPool, type PgTransaction } from "../connection/pg-shapes.ts";
import type { PrepareMode } from "../connection/prepare-mode.ts";
import { inTransaction, RiverTransaction } from "./river-transaction.ts";
import { OwnUnit, Unit } from "./unit.ts";

type Call = DriverCall<PgTransaction> | undefined;

/** What a runner needs of its driver. */
export interface RunnerContext {
  readonly prepare: PrepareMode;
  readonly dialect: () => Dialect;
  /** For results that parsers of another library read. */
  readonly textualDialect: () => Dialect;
  /** Runs once on the first connection. */
  readonly prepareDriver: (runner: StatementRunner) => Promise<void>;
  /** The lender lends the application's one client, on which River begins no transaction. */
  readonly singleClient: boolean;
}

/** Runs verbs on what one lender lends. */
export class PgRunner {
  readonly #lender: Lender;
  readonly #context: RunnerContext;

  constructor(lender: Lender, context: RunnerContext) {
    this.#lender = lender;
    this.#context = context;
  }

  /** Runs a verb that is one statement, or several of which each is complete by itself. */
  async use<T>(operation: string, call: Call, body: (unit: Unit) => Promise<T>): Promise<T> {
    if (call?.scope !== undefined) return this.#inScope(operation, call, call.scope, body);
    return withLoan(this.#lender, operation, limitsOf(call), (connection) =>
      body(new Unit(operation, connection, call?.now)),
    );
  }

  /** Runs several statements as one transaction of River's, or in the one of the call. */
  async transact<T>(
    operation: string,
    call: Call,
    body: (unit: Unit) => Promise<T>,
    relaxed: boolean = false,
  ): Promise<T> {
    if (call?.scope !== undefined) return this.#inScope(operation, call, call.scope, body);
    return this.own(operation, call, body, relaxed);
  }

  /** The same for verbs that never run in a caller's transaction. */
  async own<T>(
    operation: string,
    call: Call,
    body: (unit: OwnUnit) => Promise<T>,
    relaxed: boolean = false,
  ): Promise<T> {
    this.#refuseSingleClient(operation);
    const attempt = (): Promise<T> =>
      withLoan(this.#lender, operation, limitsOf(call), (connection) =>
        inTransaction(operation, connection, relaxed, () => body(new OwnUnit(operation, connection, call?.now))),
      );
    const { prepare } = this.#context;
    const named = prepare.named;
    try {
      return await attempt();
    } catch (error) {
      // The refusal of a prepared statement has aborted the whole transaction; without names it is not refused again.
      if (named && !prepare.named && isPrepared(error)) return attempt();
      throw error;
    }
  }

  /** Runs the application's `body` in a transaction of River's. */
  async transaction<T>(body: (scope: Scope<PgTransaction>) => Promise<T>, relaxed: boolean): Promise<T> {
    const operation = "transaction";
    this.#refuseSingleClient(operation);
    return withLoan(this.#lender, operation, {}, (connection) => {
      const handle = new RiverTransaction(connection, this.#context);
      return inTransaction(operation, connection, relaxed, async () => {
        try {
          return await body({ owner: "river", handle });
        } finally {
          handle.end();
        }
      });
    });
  }

  /** Runs something that needs the connection itself, outside any transaction. */
  connected<T>(operation: string, limits: UseLimits, body: (connection: PgConnection) => Promise<T>): Promise<T> {
    return withLoan(this.#lender, operation, limits, body);
  }

  /** The connection of a scope, for statements whose columns are not known beforehand. */
  async scoped(scope: Scope<PgTransaction>): Promise<PgConnection | ForeignTransaction> {
    if (scope.owner === "river") return connectionOf(scope.handle, this.#context);
    const { tx } = scope;
    assertTransaction(tx);
    const { dialect, textualDialect, prepare, prepareDriver } = this.#context;
    const native = isPgClient(tx);
    await prepareDriver(
      native ? new PgConnection(tx, dialect(), prepare, true) : new ForeignTransaction(tx, textualDialect()),
    );
    return native ? new PgConnection(tx, dialect(), prepare, true) : new ForeignTransaction(tx, textualDialect());
  }

  async #inScope<T>(
    operation: string,
    call: DriverCall<PgTransaction>,
    scope: Scope<PgTransaction>,
    body: (unit: Unit) => Promise<T>,
  ): Promise<T> {
    return body(new Unit(operation, await this.scoped(scope), call.now));
  }

  #refuseSingleClient(operation: string): void {
    if (!this.#context.singleClient) return;
    throw new TransactionScopeError(
      "no_transaction",
      `${operation}: this driver has a single client, which may be in a transaction of yours; pass { tx }, or make the ` +
        "driver with a pool",
    );
  }
}

function limitsOf(call: Call): UseLimits {
  return { timeoutMs: call?.timeoutMs };
}

function isPrepared(error: unknown): boolean {
  return (error as { details?: { reason?: unknown } }).details?.reason === "prepared";
}

function connectionOf(handle: object, owner: object): PgConnection {
  if (!(handle instanceof RiverTransaction) || handle.owner !== owner) {
    throw new BackendMismatchError("postgres", "scope: expected a scope of this driver's transaction()");
  }
  if (!handle.open) throw new TransactionScopeError("no_transaction", "scope: the transaction has ended");
  return handle.connection;
}

function assertTransaction(tx: unknown): asserts tx is PgTransaction {
  const usable = typeof tx === "object" && tx !== null && "query" in tx && typeof tx.query === "function";
  if (!usable) {
    throw new BackendMismatchError("postgres", "tx: expected a connection with a method query(text, values)");
  }
  if (isPool(tx)) {
    throw new TransactionScopeError(
      "no_transaction",
      "tx: expected one connection with a transaction open, not a pool",
    );
  }
  const { getTransactionStatus } = tx as { readonly getTransactionStatus?: unknown };
  if (typeof getTransactionStatus === "function" && getTransactionStatus.call(tx) === "I") {
    throw new TransactionScopeError("no_transaction", "tx: expected a connection with a transaction open");
  }
}
