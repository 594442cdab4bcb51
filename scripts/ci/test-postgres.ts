/** `npm run test:postgres -- 15|17`: the tests that depend on the version of Postgres, on an older one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgresBinaries } from "../../internal/test-kit/src/postgres-binaries.ts";
import { findPostgresPrograms, OLDER_VERSIONS } from "./postgres-programs.ts";
import { POSTGRES_TESTS } from "./postgres-tests.ts";
import { skipOrFail } from "./skip-or-fail.ts";

const [major = "", ...options] = process.argv.slice(2);
const temporaryFolder = mkdtempSync(join(tmpdir(), "river-postgres-programs-"));
process.on("exit", () => rmSync(temporaryFolder, { recursive: true, force: true }));

const found = findPostgresPrograms(major, temporaryFolder);
if (found === null) {
  console.error(
    `test:postgres: give a version, ${OLDER_VERSIONS.join(" or ")}: npm run test:postgres -- ${OLDER_VERSIONS[0]}`,
  );
  process.exit(2);
}
if ("missing" in found) skipOrFail(`Postgres ${major}`, found.missing);

// The test kit starts the server that this names, unless the address of another one is given.
process.env["RIVER_TEST_POSTGRES"] = found.folder;
delete process.env["DATABASE_URL"];
const programs = findPostgresBinaries();
if (programs === null) throw new Error(`there are no programs in ${found.folder}`);
console.log(`testing on ${execFileSync(programs.postgres, ["--version"], { encoding: "utf8" }).trim()}`);
// Longer intervals show nothing about the version.
const args = ["scripts/run-tests.mjs", "--scale=20", ...options, ...POSTGRES_TESTS];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
process.exitCode = status ?? 1;
