/** Making connections outside of a pool of `pg` as that pool makes its own. */
import type { PgClient, PgPool, PgPoolClient } from "./pg-shapes.ts";
import { TimeLimit } from "./time-limit.ts";

const OPERATION = "connect";

/** A connection that whoever made it ends. */
export interface OwnClient extends PgClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

/** A connection that such a pool lent. */
export type MakingPoolClient = OwnClient & PgPoolClient;

/** A pool that says how it makes connections, as those of `pg` do. */
export interface MakingPool extends PgPool {
  readonly Client: new (options: object) => OwnClient;
  readonly options: {
    readonly max?: number | null;
    readonly connectionTimeoutMillis?: number;
    /** Prepares a new connection. */
    readonly onConnect?: (client: PgClient) => unknown;
  };
  connect(): Promise<MakingPoolClient>;
  emit(event: "connect", client: PgClient): unknown;
}

/** Whether {@link makeClient} can do for `pool` what the pool itself does. */
export function makesClients(pool: PgPool): pool is MakingPool {
  const { Client, options, emit } = pool as Partial<MakingPool>;
  // What verifies connections is of the inside of the pool, and is called there only.
  return typeof Client === "function" && typeof emit === "function" && !!options && !("verify" in options);
}

/**
 * A new connection with the pool's options, which the pool's listeners have heard of.
 *
 * @throws what `pg` or the application's `onConnect` throws, at the latest when `timeoutMs` has passed for each.
 */
export async function makeClient(pool: MakingPool, timeoutMs: number): Promise<OwnClient> {
  const client = new pool.Client(withTimeout(pool.options, timeoutMs));
  client.on("error", ignore);
  try {
    await client.connect();
    using limit = new TimeLimit(OPERATION, timeoutMs);
    await limit.race(Promise.resolve(pool.options.onConnect?.(client)));
    pool.emit("connect", client);
    return client;
  } catch (error) {
    endClient(client);
    throw error;
  }
}

/** Closes a connection whose end nobody waits for, and whose errors nobody hears. */
export function endClient(client: OwnClient): void {
  client.on("error", ignore);
  client.end().catch(ignore);
}

/** Some properties of a pool's options cannot be seen when they are copied in the usual way, such as passwords. */
function withTimeout(options: MakingPool["options"], timeoutMs: number): object {
  const value = options.connectionTimeoutMillis || timeoutMs;
  const properties = {
    ...Object.getOwnPropertyDescriptors(options),
    connectionTimeoutMillis: { value, enumerable: true },
  };
  return Object.defineProperties({}, properties);
}

function ignore(): void {}
