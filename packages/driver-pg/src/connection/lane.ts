/**
 * A connection that a runtime keeps for itself, used by one statement or transaction at a time. It is made anew when it
 * is lost, and when a statement that was given up does not end.
 */
import type { BackendIdentity } from "./backend-identity.ts";
import { cancelFrom, END_OF_CANCELLED_MS } from "./cancel-from.ts";
import { checkOut, type CheckedOut, type ConnectionContext } from "./check-out.ts";
import type { Lender, Loan } from "./lender.ts";
import { operationError } from "./pg-failure.ts";
import type { PgPool } from "./pg-shapes.ts";
import { placeIn, type PoolPlace } from "./pool-place.ts";

/** See the file header. */
export class Lane {
  readonly #place: PoolPlace;
  readonly #context: ConnectionContext;
  readonly #others: () => Lender;
  #open: CheckedOut | null = null;
  #closed = false;
  #onFree: (() => void) | null = null;
  #busy = false;
  #lastUse: NodeJS.Timeout | undefined;

  /** @param others - connections of the runtime that do not wait for this one, to cancel from. */
  constructor(pool: PgPool, context: ConnectionContext, others: () => Lender) {
    this.#place = placeIn(pool, context.readyMs);
    this.#context = context;
    this.#others = others;
  }

  /** Nobody uses it. */
  get free(): boolean {
    return !this.#busy;
  }

  /** Called whenever it becomes free. */
  whenFree(listener: () => void): void {
    this.#onFree = listener;
  }

  /** Lends the connection of a free lane, opening it first where necessary. */
  async take(operation: string): Promise<Loan> {
    this.#busy = true;
    try {
      const open = await this.#ready(operation);
      return {
        connection: open.connection,
        release: () => this.#release(),
        abandon: (work) => void this.#recover(open, work),
      };
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Gives the connection back to the pool, for good; one whose use does not end soon is closed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#place.close();
    if (this.#busy) this.#lastUse = setTimeout(() => this.#discard(true), END_OF_CANCELLED_MS).unref();
    else this.#discard(false);
  }

  async #ready(operation: string): Promise<CheckedOut> {
    this.#assertOpen(operation);
    if (this.#open?.connection.broken) this.#discard(true);
    this.#open ??= await checkOut(this.#place, this.#context, operation, this.#context.readyMs);
    this.#assertOpen(operation);
    return this.#open;
  }

  #assertOpen(operation: string): void {
    if (this.#closed) throw operationError("closed", operation, { text: "the runtime has given its connections back" });
  }

  #release(): void {
    this.#busy = false;
    clearTimeout(this.#lastUse);
    if (this.#closed) this.#discard(false);
    this.#onFree?.();
  }

  #discard(destroy: boolean): void {
    this.#open?.giveBack(destroy);
    this.#open = null;
  }

  /** Has the statement cancelled and waits for its end; the connection is usable then, or is closed. */
  async #recover({ connection, identity }: CheckedOut, work: Promise<unknown>): Promise<void> {
    const ended = work.then(
      () => true,
      () => true,
    );
    const usable = identity !== null && !this.#context.prepare.pooled && (await this.#cancelled(identity, ended));
    if (!usable || connection.broken) this.#discard(true);
    this.#release();
  }

  async #cancelled(identity: BackendIdentity, ended: Promise<boolean>): Promise<boolean> {
    const tooLate = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => tooLate.resolve(false), END_OF_CANCELLED_MS);
    const cancelling = cancelFrom(this.#others(), identity).catch(() => {});
    try {
      // A cancellation still on its way would hit the next statement.
      return await Promise.race([Promise.all([ended, cancelling]).then(() => true), tooLate.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
