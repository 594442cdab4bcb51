/** Which database a command is for: the flag says, or else the environment. The only place that reads it. */
import { CliProblem } from "../cli-problem.ts";

/** A database that is not open yet. */
export type DatabaseAddress =
  | { readonly backend: "sqlite"; readonly path: string }
  /** Without a URL the `PG*` variables say everything. */
  | { readonly backend: "postgres"; readonly url: string | null };

/**
 * The database of the flag, else that of the environment.
 *
 * @throws CliProblem when neither names one.
 */
export function findDatabase(url: string | undefined): DatabaseAddress {
  if (url !== undefined) return refuseEmptyPath(parseDatabaseUrl(url));
  if (process.env["PGDATABASE"]) return { backend: "postgres", url: null };
  throw new CliProblem("no database is named: give --database-url, or set PGDATABASE and the other PG* variables");
}

/** @throws CliProblem that does not repeat the URL, which may hold a password. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (url === "") throw new CliProblem("--database-url is empty");
  if (/^postgres(?:ql)?:\/\//i.test(url)) return { backend: "postgres", url };
  const path = /^sqlite:\/\/(.*)$/is.exec(url)?.[1];
  if (path !== undefined) return { backend: "sqlite", path };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  const found = scheme === undefined ? "has no scheme" : `has the scheme ${scheme}://`;
  throw new CliProblem(`--database-url ${found}; it must begin with postgres://, postgresql:// or sqlite://`);
}

function refuseEmptyPath(address: DatabaseAddress): DatabaseAddress {
  if (address.backend === "postgres" || address.path !== "") return address;
  throw new CliProblem("--database-url names no file: write sqlite://PATH");
}
