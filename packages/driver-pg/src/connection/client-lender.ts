/** Lends the application's one client, to whoever asks. Nothing is cancelled or closed: it is not River's. */
import type { ConnectionContext } from "./check-out.ts";
import { identify } from "./backend-identity.ts";
import type { Lender, Loan } from "./lender.ts";
import { PgConnection } from "./pg-connection.ts";
import type { PgClient } from "./pg-shapes.ts";

/** See the file header. */
export class ClientLender implements Lender {
  readonly #client: PgClient;
  readonly #context: ConnectionContext;

  constructor(client: PgClient, context: ConnectionContext) {
    this.#client = client;
    this.#context = context;
  }

  async acquire(operation: string): Promise<Loan> {
    const { dialect, prepare, prepareDriver } = this.#context;
    const connection = new PgConnection(this.#client, dialect, prepare, true);
    await prepareDriver(connection);
    await identify(operation, connection, prepare);
    return { connection, release: nothing, abandon: nothing };
  }
}

function nothing(): void {}
