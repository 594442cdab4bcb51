/** Taking connections out of the application's pool. Whoever takes one gives it back, and hears of its loss meanwhile. */
import type { Dialect } from "./dialect.ts";
import { PgConnection, type StatementRunner } from "./pg-connection.ts";
import { translateFailure } from "./pg-failure.ts";
import type { PgPool, PgPoolClient } from "./pg-shapes.ts";
import type { PrepareMode } from "./prepare-mode.ts";

/** What all connections of one driver share. */
export interface ConnectionContext {
  readonly prepare: PrepareMode;
  /** How statements are written. */
  readonly dialect: () => Dialect;
  /** Runs once on the first connection. */
  readonly prepareDriver: (runner: StatementRunner) => Promise<void>;
}

/** A connection out of the pool. */
export interface CheckedOut {
  readonly connection: PgConnection;
  /** Gives it back, or closes it when told to or when it is broken. */
  readonly giveBack: (destroy: boolean) => void;
}

/** Takes a connection out of `pool`, which may have to wait for one. */
export async function checkOut(pool: PgPool, context: ConnectionContext, operation: string): Promise<CheckedOut> {
  const client = await connect(pool, operation);
  const connection = new PgConnection(client, context.dialect, context.prepare, false);
  // An error of a connection that nobody listens to ends the process.
  const lose = (): void => connection.markBroken();
  client.on("error", lose);
  client.on("end", lose);
  const giveBack = (destroy: boolean): void => {
    client.removeListener("end", lose);
    // What a closed socket still reports has nobody else to hear it.
    if (destroy) client.on("error", ignore);
    client.removeListener("error", lose);
    client.release(destroy);
  };
  try {
    await context.prepareDriver(connection);
  } catch (error) {
    giveBack(true);
    throw error;
  }
  return { connection, giveBack: (destroy) => giveBack(destroy || connection.broken) };
}

function ignore(): void {}

async function connect(pool: PgPool, operation: string): Promise<PgPoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translateFailure(error, operation);
  }
}
