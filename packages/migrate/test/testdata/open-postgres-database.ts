/** Postgres databases for one test each in which nothing has been migrated. */
import type { TestContext } from "node:test";
import { leasePostgresDatabase, type LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { describePostgresSchema, type PostgresSchemaDescription } from "./describe-postgres-schema.ts";

/** A connection to a leased server. */
export type PostgresConnection = Awaited<ReturnType<LeasedPostgresDatabase["connect"]>>;

/** A new, empty database. */
export interface PostgresDatabase {
  /** A new connection to it, ended after the test. */
  connect(): Promise<PostgresConnection>;
  /** A new pool on it, ended after the test. */
  pool(): ReturnType<LeasedPostgresDatabase["pool"]>;
  /** Rows of one statement. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** What a schema holds, `public` by default. */
  describe(schema?: string): Promise<PostgresSchemaDescription>;
}

/** Creates a database on the server of a leased one. It is dropped after the test, and kept when the test fails. */
export async function openPostgresDatabase(t: TestContext): Promise<PostgresDatabase> {
  // Before the lease's own hook, which may end the connection that drops the database.
  t.after(async () => {
    if (t.passed) await lease.query(`drop database ${name} with (force)`);
    else t.diagnostic(`kept database ${name}`);
  });
  const lease = await leasePostgresDatabase(t);
  const name = `${lease.name}_empty`;
  await lease.query(`create database ${name}`);
  const url = new URL(lease.url);
  url.pathname = `/${name}`;
  const connectionString = url.href;
  const reader = await lease.connect({ connectionString });
  const describer = await lease.connect({ connectionString });
  return {
    connect: () => lease.connect({ connectionString }),
    pool: () => lease.pool({ connectionString }),
    query: async (text, values = []) => (await reader.query<Record<string, unknown>>(text, [...values])).rows,
    describe: (schema = "public") => describePostgresSchema(describer, schema),
  };
}
