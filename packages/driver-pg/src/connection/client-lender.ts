/** Lends the application's one client, one use after another. Nothing is cancelled or closed: it is not River's. */
import type { ConnectionContext } from "./check-out.ts";
import { identify } from "./backend-identity.ts";
import type { Lender, Loan } from "./lender.ts";
import { PgConnection } from "./pg-connection.ts";
import type { PgClient } from "./pg-shapes.ts";

/** See the file header. */
export class ClientLender implements Lender {
  readonly #client: PgClient;
  readonly #context: ConnectionContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: PgClient, context: ConnectionContext) {
    this.#client = client;
    this.#context = context;
  }

  async acquire(operation: string): Promise<Loan> {
    const turn = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = turn.promise;
    await before;
    try {
      const { dialect, prepare, prepareDriver } = this.#context;
      await prepareDriver(new PgConnection(this.#client, dialect(), prepare, true));
      const connection = new PgConnection(this.#client, dialect(), prepare, true);
      await identify(operation, connection, prepare);
      return {
        connection,
        release: turn.resolve,
        abandon: (work) => void work.then(() => turn.resolve(), turn.resolve),
      };
    } catch (error) {
      turn.resolve();
      throw error;
    }
  }
}
