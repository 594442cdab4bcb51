/** Taking connections until they are given back: made usable for River, and watched, so that their loss is noticed. */
import { identify, type BackendIdentity } from "./backend-identity.ts";
import type { ClientSource, LentClient } from "./client-source.ts";
import type { Dialect } from "./dialect.ts";
import { PgConnection, type StatementRunner } from "./pg-connection.ts";
import { translateFailure } from "./pg-failure.ts";
import type { PrepareMode } from "./prepare-mode.ts";
import { TimeLimit } from "./time-limit.ts";

/** What all connections of one driver share. */
export interface ConnectionContext {
  readonly prepare: PrepareMode;
  /** How statements are written. */
  readonly dialect: () => Dialect;
  /** Runs on each connection until it has succeeded on one. */
  readonly prepareDriver: (runner: StatementRunner) => Promise<void>;
  /** How long a connection that a runtime keeps may take until it can be used, in milliseconds. */
  readonly readyMs: number;
}

/** A connection of a source. */
export interface CheckedOut {
  readonly connection: PgConnection;
  /** Null behind a pooler. */
  readonly identity: BackendIdentity | null;
  /** Gives it back, or closes it when told to or when it is broken. */
  readonly giveBack: (destroy: boolean) => void;
}

/**
 * Takes a connection from `source`, which may have to wait for one. When `readyMs` is given and passes before it can be
 * used, as with a server that takes connections and says nothing, it is closed, or given back as soon as it comes. The
 * time in the queue of a pool counts: from outside it looks the same.
 */
export async function checkOut(
  source: ClientSource,
  context: ConnectionContext,
  operation: string,
  readyMs?: number,
): Promise<CheckedOut> {
  using limit = new TimeLimit(operation, readyMs);
  const { client, release } = await connect(source, operation, limit);
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
    release(destroy);
  };
  try {
    await limit.race(context.prepareDriver(connection));
    const identity = await limit.race(identify(operation, connection, context.prepare));
    return { connection, identity, giveBack: (destroy) => giveBack(destroy || connection.broken) };
  } catch (error) {
    giveBack(limit.passed || connection.broken);
    throw error;
  }
}

function ignore(): void {}

async function connect(source: ClientSource, operation: string, limit: TimeLimit): Promise<LentClient> {
  const arriving = source.connect().catch((error: unknown) => Promise.reject(translateFailure(error, operation)));
  try {
    return await limit.race(arriving);
  } catch (error) {
    if (limit.passed) arriving.then(({ release }) => release(false)).catch(ignore);
    throw error;
  }
}
