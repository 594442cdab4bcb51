/** Builds the program of River for Go, once for each state of its sources. */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SOURCES = fileURLToPath(new URL("../go/", import.meta.url));
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/river-interop/", import.meta.url));

let missing: string | false | undefined;

/** Why there can be no judge here; false when there can. */
export function goMissing(): string | false {
  missing ??= findGo();
  return missing;
}

function findGo(): string | false {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return false;
  } catch {
    return "no Go: the program `go` cannot be run";
  }
}

/**
 * Path of the program. Building it takes the compiler and, the first time, modules from Go's module proxy.
 *
 * @throws Error with what the compiler said.
 */
export async function buildGoPeer(): Promise<string> {
  const name = `peer-${hashOfSources()}${process.platform === "win32" ? ".exe" : ""}`;
  const path = join(CACHE, name);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  // Another test process may build at the same time: each its own file, and the last rename wins.
  const fresh = `${path}.${process.pid}`;
  try {
    await promisify(execFile)("go", ["build", "-o", fresh, "."], { cwd: SOURCES });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
  return path;
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(SOURCES).toSorted()) hash.update(file).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex").slice(0, 16);
}
