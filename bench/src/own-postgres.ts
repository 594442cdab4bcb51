/** A Postgres database that one measurement has to itself. */
import { startPostgresServer } from "@riverqueue/internal-test-kit/postgres-server";
import { Client } from "pg";

/** See the file header. */
export interface OwnPostgres {
  readonly url: string;
  /** Drops it, whoever is connected. */
  readonly close: () => Promise<void>;
}

/** Creates an empty one on the server of DATABASE_URL, or on one that is started for it with further settings. */
export async function openOwnPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> {
  const server = process.env["DATABASE_URL"] ? null : await startPostgresServer(settings);
  const address = new URL(server?.url ?? process.env["DATABASE_URL"] ?? "");
  const admin = new Client({ connectionString: address.href });
  await admin.connect();
  const name = `river_bench_${process.pid}`;
  await admin.query(`create database ${name}`);
  address.pathname = `/${name}`;
  return {
    url: address.href,
    async close() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
      await server?.stop();
    },
  };
}
