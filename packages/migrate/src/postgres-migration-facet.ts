/** Migrations on a pool or a client of `pg` of the application. */
import { DatabaseOperationError, type MigrationFacet, type MigrationSession } from "riverqueue/driver";
import { MigrationProblem } from "./migration-problem.ts";
import type { PgMigrationClient, PgMigrationPool, PgMigrationQueryResult } from "./migration-target.ts";

/** Sessions on connections of `pool`. One that failed is not given back: what state it is in is not known. */
export function postgresPoolFacet(pool: PgMigrationPool, schema: string | null): MigrationFacet {
  return {
    backend: "postgres",
    schema,
    async withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
      const client = await described(pool.connect());
      try {
        const result = await body(clientSession(client));
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
  };
}

/** The last session of each client; the next one on that client waits for it. */
const sessions = new WeakMap<PgMigrationClient, Promise<unknown>>();

/** Sessions on `client`, one after another. */
export function postgresClientFacet(client: PgMigrationClient, schema: string | null): MigrationFacet {
  const session = clientSession(client);
  return {
    backend: "postgres",
    schema,
    withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
      const result = (sessions.get(client) ?? Promise.resolve()).then(async () => {
        await refuseOpenTransaction(session);
        return body(session);
      });
      sessions.set(
        client,
        result.catch(() => {}),
      );
      return result;
    },
  };
}

/** `now()` is the start of the transaction: in an open one it stands still, and otherwise every statement has its own. */
async function refuseOpenTransaction(session: MigrationSession): Promise<void> {
  const readNow = async (): Promise<unknown> => (await session.query("select now()::text as started"))[0]?.["started"];
  const first = await readNow();
  if (first === (await readNow())) throw new MigrationProblem("the client has a transaction open");
}

const asText = (value: string): string => value;
/** The parsers of `pg` are global, and the application may have changed them. */
const AS_TEXT = { getTypeParser: (): ((value: string) => string) => asText };

/** A client of `pg` takes parsers with the statement; what else may stand in for one does not. */
function read(client: PgMigrationClient, text: string, values: unknown[]): Promise<PgMigrationQueryResult> {
  if (!("getTypeParser" in client)) return client.query(text, values);
  const query = client.query.bind(client) as unknown as (statement: object) => Promise<PgMigrationQueryResult>;
  return query({ text, values, types: AS_TEXT });
}

function clientSession(client: PgMigrationClient): MigrationSession {
  return {
    async execute(sql) {
      await described(client.query(sql));
    },
    async query(sql, values = []) {
      return (await described(read(client, sql, [...values]))).rows;
    },
  };
}

/** A lost connection, a conflict, a lock or statement that took too long, a server that starts, stops or is full. */
const TRANSIENT = /^(?:08...|25006|40001|40P01|53300|55P03|57014|57P0[123])$/;

async function described<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    throw new DatabaseOperationError(`Postgres error${typeof code === "string" ? ` ${code}` : ""}`, {
      backend: "postgres",
      operation: "migrate",
      retryable: typeof code === "string" && TRANSIENT.test(code),
      cause: error,
    });
  }
}
