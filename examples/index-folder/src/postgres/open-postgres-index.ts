// The index on a Postgres server: connecting, recognising the schema, creating its tables.
import { PgDriver } from "@riverqueue/driver-pg";
import { createMigrator } from "@riverqueue/migrate";
import { Client, type ClientConfig, Pool } from "pg";
import type { RegisteredTransaction } from "riverqueue";
import type { DatabaseAddress } from "../database-address.ts";
import { DemoProblem } from "../demo-problem.ts";
import type { FilesTable } from "../files-table.ts";
import type { IndexDatabase, OpenOptions } from "../index-database.ts";
import { POSTGRES_TABLES, PostgresFilesTable, SCHEMA } from "./postgres-files-table.ts";
import { runStatement, toStatementFailure } from "./run-statement.ts";
import { takeAdvisoryLock } from "./take-advisory-lock.ts";

/** Comment on the schema, so that nobody else's is taken for ours. */
const MARK = "files indexed by the demo of River for TypeScript";

/** River keeps four connections, and each of the files that are read at the same time may need one. */
const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;

type PostgresAddress = Extract<DatabaseAddress, { backend: "postgres" }>;

/** See `openIndexDatabase`. */
export async function openPostgresIndex(address: PostgresAddress, options: OpenOptions): Promise<IndexDatabase | null> {
  await using opened = new AsyncDisposableStack();
  const settings = { connectionString: address.url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const keeper = makeClient(settings);
  // What ends a connection also fails the statement that runs on it; nothing runs on this one.
  keeper.on("error", (error) => options.onLost(toStatementFailure(error)));
  opened.defer(() => keeper.end());
  await connect(keeper, address.shown);
  if (!(await takeAdvisoryLock(keeper, options))) return null;
  await createTables(keeper, address.shown);

  const pool = new Pool({ ...settings, max: CONNECTIONS });
  opened.defer(() => pool.end());
  // An error that nobody listens to would end the process; the next statement tells of it.
  pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));
  const driver = new PgDriver(pool, { schema: SCHEMA });
  await createMigrator(driver).migrateUp();
  return new PostgresIndex(driver, pool, opened.move());
}

class PostgresIndex implements IndexDatabase {
  readonly driver: PgDriver;
  readonly files: FilesTable;
  readonly ownFiles: readonly string[] = [];
  readonly #pool: Pool;
  readonly #resources: AsyncDisposable;

  constructor(driver: PgDriver, pool: Pool, resources: AsyncDisposable) {
    this.driver = driver;
    this.files = new PostgresFilesTable(pool);
    this.#pool = pool;
    this.#resources = resources;
  }

  async write<Result>(callback: (tx: RegisteredTransaction, files: FilesTable) => Promise<Result>): Promise<Result> {
    const tx = await this.#pool.connect().catch((error: unknown) => {
      throw toStatementFailure(error);
    });
    let isUsable = true;
    try {
      await runStatement(tx, "begin");
      const result = await callback(tx, new PostgresFilesTable(tx));
      await runStatement(tx, "commit");
      return result;
    } catch (error) {
      isUsable = await tx.query("rollback").then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      tx.release(!isUsable);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}

function makeClient(settings: ClientConfig): Client {
  try {
    return new Client(settings);
  } catch (error) {
    // An error of the file system, about a certificate, names the file; others may repeat the URL.
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw new DemoProblem(`--database-url cannot be used: ${syscall === undefined ? "it is no valid URL" : message}`);
  }
}

async function connect(client: Client, shown: string): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    throw new DemoProblem(`cannot connect to ${shown}: ${toStatementFailure(error).message}`);
  }
}

/** All or nothing: a schema without its mark would not be recognised. */
async function createTables(client: Client, shown: string): Promise<void> {
  const { rows } = await runStatement(
    client,
    "select obj_description(oid, 'pg_namespace') as mark from pg_namespace where nspname = $1",
    [SCHEMA],
  );
  if (rows[0] !== undefined && rows[0]["mark"] !== MARK) {
    throw new DemoProblem(`${shown} has a schema ${SCHEMA} of something else; rename it, or take another database`);
  }
  try {
    const mark = `create schema if not exists ${SCHEMA}; comment on schema ${SCHEMA} is ${client.escapeLiteral(MARK)};`;
    await client.query(`begin; ${mark} ${POSTGRES_TABLES} commit;`);
  } catch (error) {
    throw new DemoProblem(`cannot use ${shown} as the database: ${toStatementFailure(error).message}`);
  }
}
