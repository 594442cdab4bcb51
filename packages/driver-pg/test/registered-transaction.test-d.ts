/** The types by which `pg` and adapters meet the driver, and which the driver makes known to code that names none. */
import type { Client, Pool, PoolClient } from "pg";
import type { PgClient, PgDriver, PgPool, PgPoolClient, PgTransaction } from "@riverqueue/driver-pg";
import type { RegisteredTransaction } from "riverqueue";

declare const pool: Pool;
declare const poolClient: PoolClient;
declare const client: Client;

const asPool: PgPool = pool;
const asPoolClient: PgPoolClient = poolClient;
const asClient: PgClient = client;
const sources: readonly ConstructorParameters<typeof PgDriver>[0][] = [pool, client, poolClient];
const adapter: PgTransaction = {
  query: (text: string, values?: unknown[]) => Promise.resolve({ rows: [text, values] }),
};
const transactions: readonly RegisteredTransaction[] = [client, poolClient, adapter];
// @ts-expect-error -- anything else is no transaction once the driver is installed
const other: RegisteredTransaction = "no transaction";

void [asPool, asPoolClient, asClient, sources, transactions, other];
