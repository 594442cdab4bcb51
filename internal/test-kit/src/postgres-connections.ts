/** Connections of one test to one Postgres database, which end together. */
import { Client, type ClientConfig, Pool, type PoolConfig } from "pg";

/** See the file header. Errors of idle connections are swallowed: tests and servers end sessions as they like. */
export class PostgresConnections {
  readonly #url: string;
  #open: { end(): Promise<void> }[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  pool(config: PoolConfig = {}): Pool {
    const pool = new Pool({ connectionString: this.#url, ...config });
    pool.on("error", () => {});
    this.#open.push(pool);
    return pool;
  }

  async connect(config: ClientConfig = {}): Promise<Client> {
    const client = await connectTo({ connectionString: this.#url, ...config });
    this.#open.push(client);
    return client;
  }

  /** Ends those that have not been ended already, by the test or by the server. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#open.map((connection) => connection.end()));
    this.#open = [];
  }
}

/** A connection that outlives the end of its session; the next statement then fails. */
export async function connectTo(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  client.on("error", () => {});
  await client.connect();
  return client;
}
