/**
 * Settings of the connection, from flag, URL and defaults. Postgres reads `statement_timeout=5s` of a URL with its unit,
 * and `pg` would take it for 5 ms, so that the two timeouts are taken out of the URL here and given to `pg` as numbers.
 */
import { CliProblem } from "../cli-problem.ts";

/** What `pg` is configured with. */
export interface PostgresSettings {
  readonly connectionString?: string;
  /** Only where nothing else names the application. */
  readonly fallback_application_name: string;
  readonly connectionTimeoutMillis: number;
  /** In milliseconds; absent where the server's own setting or `options` decide. */
  readonly statement_timeout?: number;
  /** In milliseconds, likewise. */
  readonly idle_in_transaction_session_timeout?: number;
  readonly keepAlive: boolean;
}

const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 11_000;
const CONNECTION_TIMEOUT_MS = 30_000;

const TIMEOUT = /^(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Settings for the database of `url`, or of the environment when it is null.
 *
 * @throws CliProblem when a timeout in the URL cannot be read.
 */
export function postgresSettings(url: string | null, statementTimeout: number | undefined): PostgresSettings {
  const { base, parameters } = splitUrl(url ?? "");
  const inOptions = parameters.get("options") ?? process.env["PGOPTIONS"] ?? "";
  const take = (name: string, given: number | undefined, fallback: number): number | undefined => {
    const text = parameters.get(name);
    parameters.delete(name);
    if (given !== undefined) return given;
    if (text !== null) return readTimeout(text, name);
    return inOptions.includes(name) ? undefined : fallback;
  };
  const statement = take("statement_timeout", statementTimeout, STATEMENT_TIMEOUT_MS);
  const idle = take("idle_in_transaction_session_timeout", undefined, IDLE_IN_TRANSACTION_MS);
  return {
    ...(url !== null && { connectionString: parameters.size === 0 ? base : `${base}?${parameters.toString()}` }),
    fallback_application_name: "river CLI",
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    ...(statement !== undefined && { statement_timeout: statement }),
    ...(idle !== undefined && { idle_in_transaction_session_timeout: idle }),
    keepAlive: true,
  };
}

function splitUrl(url: string): { readonly base: string; readonly parameters: URLSearchParams } {
  const query = url.indexOf("?");
  if (query === -1) return { base: url, parameters: new URLSearchParams() };
  return { base: url.slice(0, query), parameters: new URLSearchParams(url.slice(query + 1)) };
}

/** As the server reads it: milliseconds unless a unit is named. */
function readTimeout(text: string, name: string): number {
  const [, value, unit = "ms"] = TIMEOUT.exec(text.trim()) ?? [];
  if (value === undefined) throw new CliProblem(`${name} in --database-url must be a time such as 10s or 5000`);
  return Math.round(Number(value) * (UNIT_MS[unit] ?? 1));
}
