/**
 * A place in the application's pool that a runtime keeps. A lost connection that is given back to the pool leaves its
 * place to whoever waits there first: a handler, which may hold it for long while others wait behind. So the lost one
 * stays checked out, and others are made in its stead: there are never more connections than the pool's `max`.
 */
import { poolSource, type ClientSource, type LentClient } from "./client-source.ts";
import { endClient, makeClient, makesClients, type MakingPool, type MakingPoolClient } from "./make-client.ts";
import type { PgPool } from "./pg-shapes.ts";

/** A place in `pool`; one that does not say how it makes connections has none, and is asked each time. */
export function placeIn(pool: PgPool, readyMs: number): PoolPlace {
  return makesClients(pool) ? new KeptPlace(pool, readyMs) : { ...poolSource(pool), close() {} };
}

/** See the file header. */
export interface PoolPlace extends ClientSource {
  /** Leaves the place to others, as soon as the connection in it is given back. */
  close(): void;
}

class KeptPlace implements PoolPlace {
  readonly #pool: MakingPool;
  readonly #readyMs: number;
  /** A lost connection in whose place there is no other at present. */
  #lost: MakingPoolClient | null = null;
  #closed = false;

  /** @param readyMs - how long making a connection may take, in milliseconds. */
  constructor(pool: MakingPool, readyMs: number) {
    this.#pool = pool;
    this.#readyMs = readyMs;
  }

  connect(): Promise<LentClient> {
    const lost = this.#lost;
    this.#lost = null;
    return lost === null ? this.#fromPool() : this.#inStead(lost);
  }

  close(): void {
    this.#closed = true;
    this.#lost?.release(true);
    this.#lost = null;
  }

  /** The first connection, or one beside the one in this place. */
  async #fromPool(): Promise<LentClient> {
    const client = await this.#pool.connect();
    const lose = (): void => {
      endClient(client);
      this.#keep(client);
    };
    return { client, release: (destroy) => (destroy ? lose() : client.release()) };
  }

  async #inStead(lost: MakingPoolClient): Promise<LentClient> {
    try {
      const client = await makeClient(this.#pool, this.#readyMs);
      const end = (): void => {
        endClient(client);
        this.#keep(lost);
      };
      return { client, release: end };
    } catch (error) {
      this.#keep(lost);
      throw error;
    }
  }

  /** One lost connection keeps the place; further ones are of no use. */
  #keep(lost: MakingPoolClient): void {
    if (this.#closed || this.#lost !== null) lost.release(true);
    else this.#lost = lost;
  }
}
