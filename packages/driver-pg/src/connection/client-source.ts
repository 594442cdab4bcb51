/** Where a connection comes from, and goes when it is not needed any more: the application's pool, or a place in it. */
import type { PgClient, PgPool } from "./pg-shapes.ts";

/** A connection of a source. */
export interface LentClient {
  readonly client: PgClient;
  /** Gives it back, or closes it. Called once. */
  readonly release: (destroy: boolean) => void;
}

/** See the file header. */
export interface ClientSource {
  /** Rejects with what `pg` rejects with. */
  connect(): Promise<LentClient>;
}

/** Any connection of the pool. */
export function poolSource(pool: PgPool): ClientSource {
  return {
    async connect() {
      const client = await pool.connect();
      return { client, release: (destroy) => client.release(destroy) };
    },
  };
}
