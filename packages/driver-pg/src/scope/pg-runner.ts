/** Where a verb runs: in the application's transaction, in River's, or as a unit of its own on a lent connection. */
import {
  BackendMismatchError,
  TransactionScopeError,
  type DriverCall,
  type OwnScope,
  type Scope,
} from "riverqueue/driver";
import type { ConnectionContext } from "../connection/check-out.ts";
import type { Dialect } from "../connection/dialect.ts";
import { ForeignTransaction } from "../connection/foreign-transaction.ts";
import { withLoan, type Lender, type UseLimits } from "../connection/lender.ts";
import { PgConnection } from "../connection/pg-connection.ts";
import { isPgClient, isPool, type PgTransaction } from "../connection/pg-shapes.ts";
import { TimeLimit } from "../connection/time-limit.ts";
import { inTransaction } from "./in-transaction.ts";
import { RiverTransaction } from "./river-transaction.ts";
import { OwnUnit, Unit } from "./unit.ts";

type Call = DriverCall<PgTransaction> | undefined;

/** What a runner needs of its driver. */
export interface RunnerContext extends ConnectionContext {
  /** For results that parsers of another library read. */
  readonly textualDialect: () => Dialect;
  /** The lender lends the application's one client, on which River begins no transaction. */
  readonly singleClient: boolean;
}

/** How a transaction runs that others fill. */
export interface TransactionOptions extends UseLimits {
  /** The commit need not wait for the disk. */
  readonly relaxed: boolean;
  /** Runs before the commit; what it throws rolls back. */
  readonly last?: (connection: PgConnection) => Promise<void>;
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
    this.refuseSingleClient(operation);
    const attempt = (): Promise<T> =>
      withLoan(this.#lender, operation, limitsOf(call), (connection) =>
        inTransaction(operation, connection, relaxed, () => body(new OwnUnit(operation, connection, call?.now))),
      );
    const { prepare } = this.#context;
    const { edition } = prepare;
    try {
      return await attempt();
    } catch (error) {
      // The refusal of a prepared statement has aborted the whole transaction; sent otherwise it is not refused again.
      if (edition !== prepare.edition && isPrepared(error)) return attempt();
      throw error;
    }
  }

  /** Runs `body`, in which code of the application takes part, in a transaction of River's. */
  async transaction<T>(
    body: (scope: OwnScope) => Promise<T>,
    { relaxed, last = nothing, timeoutMs, signal }: TransactionOptions,
  ): Promise<T> {
    this.refuseSingleClient("transaction");
    using limit = new TimeLimit("transaction", timeoutMs, signal);
    limit.check();
    const parts = { lender: this.#lender, limit, relaxed, owner: this.#context };
    return await new RiverTransaction(parts).run(body, last);
  }

  /** Runs something that needs the connection itself, outside any transaction. */
  connected<T>(operation: string, limits: UseLimits, body: (connection: PgConnection) => Promise<T>): Promise<T> {
    return withLoan(this.#lender, operation, limits, body);
  }

  /** Runs `body` on the connection of a scope, for statements whose columns are not known beforehand. */
  async scoped<T>(
    scope: Scope<PgTransaction>,
    body: (connection: PgConnection | ForeignTransaction) => Promise<T>,
  ): Promise<T> {
    if (scope.owner === "river") return transactionOf(scope.handle, this.#context).use(body);
    return body(await this.#callers(scope.tx));
  }

  /** @throws TransactionScopeError when what is written outside of a scope might get into a transaction of the application's. */
  refuseSingleClient(operation: string): void {
    if (!this.#context.singleClient) return;
    throw new TransactionScopeError(
      "no_transaction",
      `${operation}: this driver has a single client, which may be in a transaction of yours; pass { tx }, or make the ` +
        "driver with a pool",
    );
  }

  async #callers(tx: unknown): Promise<PgConnection | ForeignTransaction> {
    assertTransaction(tx);
    const { dialect, textualDialect, prepare, prepareDriver } = this.#context;
    const connection = isPgClient(tx)
      ? new PgConnection(tx, dialect, prepare, true)
      : new ForeignTransaction(tx, textualDialect);
    await prepareDriver(connection);
    return connection;
  }

  async #inScope<T>(
    operation: string,
    call: DriverCall<PgTransaction>,
    scope: Scope<PgTransaction>,
    body: (unit: Unit) => Promise<T>,
  ): Promise<T> {
    return this.scoped(scope, (connection) => body(new Unit(operation, connection, call.now)));
  }
}

function limitsOf(call: Call): UseLimits {
  return { timeoutMs: call?.timeoutMs };
}

function isPrepared(error: unknown): boolean {
  return (error as { details?: { reason?: unknown } }).details?.reason === "prepared";
}

function transactionOf(handle: object, owner: object): RiverTransaction {
  if (handle instanceof RiverTransaction && handle.owner === owner) return handle;
  throw new BackendMismatchError("postgres", "scope: expected a scope of this driver's transaction()");
}

function nothing(): Promise<void> {
  return Promise.resolve();
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
