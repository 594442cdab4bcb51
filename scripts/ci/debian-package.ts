/** Programs of Debian packages: used where they are, and installed where continuous integration runs as root. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isCi } from "./skip-or-fail.ts";

/**
 * Sees to it that a program is there.
 *
 * @param program Path of a file of the package.
 * @returns why it is missing; null when it is there.
 */
export function missingProgram(program: string, packageName: string): string | null {
  if (existsSync(program)) return null;
  if (isCi && process.getuid?.() === 0) install(packageName);
  return existsSync(program) ? null : `there is no ${program}; on Debian: apt-get install ${packageName}`;
}

function install(packageName: string): void {
  const args = ["install", "-y", "--no-install-recommends", packageName];
  // Lists that are missing, or so old that they name versions which are not served any more.
  if (!apt(args) && apt(["update"])) apt(args);
}

function apt(args: readonly string[]): boolean {
  console.log(`apt-get ${args.join(" ")}`);
  const { status, stdout, stderr, error } = spawnSync("apt-get", args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status !== 0) console.log(error?.message ?? `${stdout}${stderr}`);
  return status === 0;
}
