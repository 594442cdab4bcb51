// Which database the user means, and what it is called in what the program prints.
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { DemoProblem } from "./demo-problem.ts";
import { showText } from "./stored-path.ts";

/** A database that is not open yet. */
export type DatabaseAddress =
  /** `path` is real, or that of a file that does not exist yet. */
  | { readonly backend: "sqlite"; readonly path: string; readonly shown: string }
  /** `url` may hold a password: `shown` is what may be printed. */
  | { readonly backend: "postgres"; readonly url: string; readonly shown: string };

/**
 * Reads `--database-url`.
 *
 * @param url `demo.db` where the user is unless given.
 * @param here Where the user is: a relative path counts from it.
 * @throws DemoProblem that does not repeat the URL.
 */
export async function readDatabaseUrl(url: string | undefined, here: string): Promise<DatabaseAddress> {
  const path = url === undefined ? "demo.db" : /^sqlite:(?:\/\/)?(.*)$/is.exec(url)?.[1];
  if (path !== undefined) return await sqliteFile(path, here);
  if (url !== undefined && /^postgres(?:ql)?:\/\//i.test(url)) return { backend: "postgres", url, shown: showUrl(url) };
  throw new DemoProblem("--database-url must begin with postgres://, postgresql:// or sqlite://");
}

async function sqliteFile(path: string, here: string): Promise<DatabaseAddress> {
  if (path === "") throw new DemoProblem("--database-url names no file: write sqlite://PATH");
  if (path === ":memory:") throw new DemoProblem("--database-url must name a file, because a run goes on where it was");
  const real = await realPlace(resolve(await realpath(here), path));
  return { backend: "sqlite", path: real, shown: showText(real) };
}

/** A link is resolved, because SQLite keeps its further files beside the real one. */
async function realPlace(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

/** Nothing but server and database: users are nobody's business, and parameters may be secret. */
function showUrl(url: string): string {
  if (!URL.canParse(url)) throw new DemoProblem("--database-url is no valid URL");
  const { host, pathname } = new URL(url);
  return showText(`postgres://${host}${pathname}`);
}
