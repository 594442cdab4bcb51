/** A Postgres server of one test's own, which it may stop, restart and configure as it likes. */
import type { TestContext, TestOptions } from "node:test";
import { findPostgresBinaries } from "@riverqueue/internal-test-kit/postgres-binaries";
import { PostgresConnections } from "@riverqueue/internal-test-kit/postgres-connections";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { type PostgresServer, startPostgresServer } from "@riverqueue/internal-test-kit/postgres-server";
import { createMigrator } from "@riverqueue/migrate";
import { type PostgresSource, type Row, stopFirst } from "./database.ts";

/** See the file header. */
export interface OwnServer extends PostgresSource, Pick<PostgresServer, "folder" | "halt" | "resume" | "url"> {
  /** Sets a setting of the whole server, also for sessions that are open; null takes it back. */
  configure(setting: string, value: string | null): Promise<void>;
}

/** A commit that was reported must outlive the server's process, whatever else a test may do without. */
const DURABLE = { synchronous_commit: "on" };

/** A test that is skipped where no server can be started; in continuous integration it fails there. */
export function ownServerTest(
  title: string,
  body: (t: TestContext, server: OwnServer) => Promise<void>,
  options: TestOptions = {},
): void {
  const missing = !process.env["CI"] && findPostgresBinaries() === null;
  const skip = missing && "no Postgres programs are installed";
  postgresTest(
    title,
    async (t) => {
      stopFirst(t);
      await body(t, await startOwnServer(t));
    },
    { ...options, ...(skip && { skip }) },
  );
}

/** A migrated database `postgres` on a new server, which ends with the test. */
async function startOwnServer(t: TestContext): Promise<OwnServer> {
  const server = await startPostgresServer(DURABLE);
  const connections = new PostgresConnections(server.url);
  t.after(async () => {
    await connections.end();
    await server.stop();
  });
  const keeper = connections.pool({ max: 1, options: "-c default_transaction_read_only=off" });
  const query = async (text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await keeper.query<Row>(text, [...values])).rows;
  await createMigrator({ pool: keeper }).migrateUp();
  return {
    url: server.url,
    folder: server.folder,
    halt: (mode) => server.halt(mode),
    resume: () => server.resume(),
    pool: (config) => connections.pool(config),
    connect: (config) => connections.connect(config),
    query,
    async configure(setting, value) {
      await query(value === null ? `ALTER SYSTEM RESET ${setting}` : `ALTER SYSTEM SET ${setting} = '${value}'`);
      await query("SELECT pg_reload_conf()");
    },
  };
}
