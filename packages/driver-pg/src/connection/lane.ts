/**
 * A connection that a runtime keeps for itself, used by one statement or transaction at a time. It is made anew when it
 * is lost, and when a statement that was given up does not end.
 */
import { cancelBackend, type BackendIdentity } from "./backend-identity.ts";
import { checkOut, type CheckedOut, type ConnectionContext } from "./check-out.ts";
import type { Loan } from "./lender.ts";
import type { PgConnection } from "./pg-connection.ts";
import { operationError } from "./pg-failure.ts";
import type { PgPool } from "./pg-shapes.ts";

/** How long a cancelled statement may take to end before its connection is closed, in milliseconds. */
const END_OF_CANCELLED_MS = 5_000;

/** Sends a cancellation from another connection of the runtime. */
export type Canceller = (cancel: (connection: PgConnection) => Promise<void>) => Promise<void>;

/** See the file header. */
export class Lane {
  readonly #pool: PgPool;
  readonly #context: ConnectionContext;
  readonly #fromElsewhere: Canceller;
  #open: CheckedOut | null = null;
  #closed = false;
  #onFree: (() => void) | null = null;
  #busy = false;

  constructor(pool: PgPool, context: ConnectionContext, fromElsewhere: Canceller) {
    this.#pool = pool;
    this.#context = context;
    this.#fromElsewhere = fromElsewhere;
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

  /** Gives the connection back to the pool, for good. */
  close(): void {
    this.#closed = true;
    if (!this.#busy) this.#discard(false);
  }

  async #ready(operation: string): Promise<CheckedOut> {
    if (this.#closed) throw operationError("closed", operation, { text: "the runtime has given its connections back" });
    if (this.#open?.connection.broken) this.#discard(true);
    return (this.#open ??= await checkOut(this.#pool, this.#context, operation, this.#context.readyMs));
  }

  #release(): void {
    this.#busy = false;
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
    const cancelling = this.#fromElsewhere((other) => cancelBackend(other, identity)).catch(() => {});
    try {
      // A cancellation still on its way would hit the next statement.
      return await Promise.race([Promise.all([ended, cancelling]).then(() => true), tooLate.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
