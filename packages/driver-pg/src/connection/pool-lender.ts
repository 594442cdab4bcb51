/** Lends connections of the application's pool, one use each. */
import { cancelBackend, type BackendIdentity } from "./backend-identity.ts";
import { checkOut, type ConnectionContext } from "./check-out.ts";
import type { Lender, Loan } from "./lender.ts";
import type { PgPool } from "./pg-shapes.ts";

/** See the file header. */
export class PoolLender implements Lender {
  readonly #pool: PgPool;
  readonly #context: ConnectionContext;

  constructor(pool: PgPool, context: ConnectionContext) {
    this.#pool = pool;
    this.#context = context;
  }

  async acquire(operation: string): Promise<Loan> {
    const { connection, identity, giveBack } = await checkOut(this.#pool, this.#context, operation);
    return {
      connection,
      release: () => giveBack(false),
      abandon: (work) => {
        work.catch(() => {});
        // The socket closes with this, so there is room in the pool to cancel from.
        giveBack(true);
        if (identity !== null) void this.#cancel(identity);
      },
    };
  }

  async #cancel(identity: BackendIdentity): Promise<void> {
    try {
      const loan = await this.acquire("cancel");
      await cancelBackend(loan.connection, identity).finally(() => loan.release());
    } catch {
      // The statement then ends by itself, or when the server notices that its client is gone.
    }
  }
}
