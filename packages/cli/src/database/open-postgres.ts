/** Connects to Postgres through `pg`, which is loaded only here: who works with SQLite need not have it. */
import { CliProblem } from "../cli-problem.ts";
import { describeSqlState } from "../report/sqlstate-words.ts";
import type { DatabaseAddress } from "./database-address.ts";
import type { OpenDatabase, OpenDatabaseOptions } from "./open-database.ts";
import { type PostgresSettings, postgresSettings } from "./postgres-settings.ts";

type Pg = Awaited<ReturnType<typeof loadPg>>;

/** Opens one connection. @throws CliProblem when `pg` is missing, the URL is wrong or the server is out of reach. */
export async function openPostgres(
  { url }: Extract<DatabaseAddress, { backend: "postgres" }>,
  { schema, statementTimeout, report }: OpenDatabaseOptions,
): Promise<OpenDatabase> {
  const settings = postgresSettings(url, statementTimeout);
  const client = makeClient(await loadPg(), settings);
  // What ends a connection also fails the statement that runs on it, and that is reported.
  client.on("error", () => {});
  const place = `${client.host}:${client.port}`;
  try {
    await client.connect();
  } catch (error) {
    await close(client);
    throw new CliProblem(`cannot connect to Postgres at ${place}: ${describeConnectionError(error)}`);
  }
  const { statement_timeout: timeout } = settings;
  report.log("debug", `Postgres at ${place}, database ${client.database}, user ${client.user}`);
  report.log("debug", `statement timeout ${timeout === undefined ? "of the server" : `${timeout}ms`}`);
  return { source: { client, schema: schema ?? null }, close: () => close(client) };
}

async function loadPg() {
  try {
    return (await import("pg")).default;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !/'pg'/.test(message)) throw error;
    throw new CliProblem('a Postgres database needs the package "pg" beside this one: npm install pg');
  }
}

function makeClient({ Client }: Pg, settings: PostgresSettings): InstanceType<Pg["Client"]> {
  try {
    return new Client(settings);
  } catch (error) {
    // An error of the file system, about a certificate, names the file; others may repeat the URL.
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw new CliProblem(`--database-url cannot be used: ${syscall === undefined ? "it is no valid URL" : message}`);
  }
}

/** The client's own words, of the network or of the protocol; of the server no more than the code. */
function describeConnectionError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeConnectionError(error.errors[0]);
  const { code, message, severity } = error as NodeJS.ErrnoException & { readonly severity?: string };
  return severity !== undefined && code !== undefined ? describeSqlState(code) : message;
}

async function close(client: { end(): Promise<void> }): Promise<void> {
  try {
    await client.end();
  } catch {
    // It was broken already.
  }
}
