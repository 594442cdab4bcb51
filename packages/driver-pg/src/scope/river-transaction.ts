/**
 * A transaction of River's in which code of others runs. It takes its connection and begins with the first statement, so
 * that code which waits before it holds nothing. When its limit passes it is rolled back, whatever that code still does.
 */
import { TransactionScopeError, type OwnScope } from "riverqueue/driver";
import { acquireWithin, type Lender, type Loan } from "../connection/lender.ts";
import type { PgConnection } from "../connection/pg-connection.ts";
import type { TimeLimit } from "../connection/time-limit.ts";
import { begin, commit, rollBack } from "./in-transaction.ts";

const OPERATION = "transaction";

/** What a transaction is made of. */
export interface RiverTransactionParts {
  readonly lender: Lender;
  readonly limit: TimeLimit;
  /** The commit need not wait for the disk. */
  readonly relaxed: boolean;
  /** What tells drivers apart: a scope belongs to the one that opened it. */
  readonly owner: object;
}

/** The handle of an `OwnScope`. */
export class RiverTransaction {
  readonly owner: object;
  readonly #parts: RiverTransactionParts;
  readonly #running = new Set<Promise<unknown>>();
  #loan: Promise<Loan> | null = null;
  #begun: Promise<PgConnection> | null = null;
  /** Its body runs: statements may join. */
  #open = true;
  /** The limit passed while its body was running: nobody else ends it. */
  #abandoned = false;

  constructor(parts: RiverTransactionParts) {
    this.owner = parts.owner;
    this.#parts = parts;
  }

  /**
   * Runs `body`, then `last` on the connection, and commits; without any statement there is nothing to end, and `last` is
   * left out. Rolls back when one of them rejects.
   */
  async run<T>(body: (scope: OwnScope) => Promise<T>, last: (connection: PgConnection) => Promise<void>): Promise<T> {
    const { limit } = this.#parts;
    const filling = this.#fill(body, last);
    try {
      return await limit.race(filling);
    } finally {
      if (limit.passed) this.#abandon(filling);
      else await this.#release();
    }
  }

  /** Runs one verb's statements. */
  async use<T>(body: (connection: PgConnection) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const connection = await (this.#begun ??= this.#begin());
    this.#assertOpen();
    const work = body(connection);
    const ended = (): unknown => this.#running.delete(work);
    this.#running.add(work);
    work.then(ended, ended);
    return work;
  }

  async #fill<T>(body: (scope: OwnScope) => Promise<T>, last: (connection: PgConnection) => Promise<void>): Promise<T> {
    try {
      const result = await body({ owner: "river", handle: this });
      this.#parts.limit.check();
      this.#open = false;
      const connection = await this.#begun;
      if (connection !== null) {
        await last(connection);
        await commit(OPERATION, connection);
      }
      return result;
    } catch (error) {
      this.#open = false;
      if (!this.#abandoned) await this.#undo();
      throw error;
    }
  }

  async #begin(): Promise<PgConnection> {
    const { lender, limit, relaxed } = this.#parts;
    this.#loan = acquireWithin(lender, OPERATION, limit);
    const { connection } = await this.#loan;
    await begin(OPERATION, connection, relaxed);
    return connection;
  }

  async #undo(): Promise<void> {
    const loan = await this.#loan?.catch(() => null);
    await Promise.allSettled([this.#begun]);
    if (loan) await rollBack(OPERATION, loan.connection);
  }

  async #release(): Promise<void> {
    (await this.#loan?.catch(() => null))?.release();
  }

  /** Gives the connection back while something may still run on it. */
  #abandon(filling: Promise<unknown>): void {
    this.#abandoned = this.#open;
    this.#open = false;
    const ending = this.#abandoned ? this.#undoAfterStatements() : filling;
    // A connection that arrives too late was never this transaction's.
    this.#loan?.then((loan) => loan.abandon(ending)).catch(() => {});
  }

  async #undoAfterStatements(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#undo();
  }

  #assertOpen(): void {
    if (this.#open) return;
    throw new TransactionScopeError("no_transaction", "scope: the transaction has ended");
  }
}
