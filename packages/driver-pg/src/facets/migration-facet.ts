/** DDL for migrations, on a connection of its own while they run. Migrators take turns by an advisory lock of theirs. */
import type { MigrationFacet, MigrationSession } from "riverqueue/driver";
import type { Lender } from "../connection/lender.ts";
import type { PgConnection, PgValue } from "../connection/pg-connection.ts";
import { operationError, translateFailure } from "../connection/pg-failure.ts";
import { decoded } from "./extension-facet.ts";

const OPERATION = "migrations";

/** Migration verbs of the Postgres driver. */
export class PgMigrations implements MigrationFacet {
  readonly backend = "postgres";
  readonly schema: string | null;
  readonly #lender: Lender;

  constructor(lender: Lender, schema: string | null) {
    this.#lender = lender;
    this.schema = schema;
  }

  async withSession<T>(body: (session: MigrationSession) => Promise<T>): Promise<T> {
    const loan = await this.#lender.acquire(OPERATION);
    try {
      refuseOpenTransaction(loan.connection);
      return await body(sessionOn(loan.connection));
    } catch (error) {
      // Nobody knows in which state a migration has left it.
      loan.connection.markBroken();
      throw error;
    } finally {
      loan.release();
    }
  }
}

/** Its COMMIT would be that of the first migration. */
function refuseOpenTransaction({ client }: PgConnection): void {
  const { getTransactionStatus } = client as { readonly getTransactionStatus?: unknown };
  if (typeof getTransactionStatus !== "function" || getTransactionStatus.call(client) === "I") return;
  throw operationError("other", OPERATION, { text: "the client has a transaction open" });
}

function sessionOn(connection: PgConnection): MigrationSession {
  return {
    async execute(sql) {
      try {
        await connection.client.query(sql);
      } catch (error) {
        throw translateFailure(error, OPERATION);
      }
    },
    async query(sql, values = []) {
      return [...decoded(await connection.runTyped(OPERATION, sql, values.map(asValue))).rows];
    },
  };
}

function asValue(value: string | number | bigint | null): PgValue {
  return value === null ? null : String(value);
}
