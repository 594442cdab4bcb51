/** Lends connections of the application's pool, one use each. */
import { cancelFrom } from "./cancel-from.ts";
import { checkOut, type ConnectionContext } from "./check-out.ts";
import { poolSource, type ClientSource } from "./client-source.ts";
import type { Lender, Loan } from "./lender.ts";
import type { PgPool } from "./pg-shapes.ts";

/** See the file header. */
export class PoolLender implements Lender {
  readonly #pool: ClientSource;
  readonly #context: ConnectionContext;

  constructor(pool: PgPool, context: ConnectionContext) {
    this.#pool = poolSource(pool);
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
        // A statement that is not cancelled ends by itself, or when the server notices that its client is gone.
        if (identity !== null) cancelFrom(this, identity).catch(() => {});
      },
    };
  }
}
