/** `npm run test:pgbouncer`: the tests of the Postgres driver through PgBouncer in transaction mode. */
import { spawnSync } from "node:child_process";
import { PGBOUNCER_PROGRAM, pgBouncerVersion } from "../../internal/test-kit/src/pgbouncer.ts";
import { missingProgram } from "./debian-package.ts";
import { skipOrFail } from "./skip-or-fail.ts";

const missing = missingProgram(PGBOUNCER_PROGRAM, "pgbouncer");
if (missing !== null) skipOrFail("PgBouncer", missing);

console.log(`testing through ${pgBouncerVersion()}`);
const { status } = spawnSync(
  process.execPath,
  ["scripts/run-tests.mjs", "--scale=20", ...process.argv.slice(2), "packages/driver-pg/test/pgbouncer.test.ts"],
  // Tests that would be skipped for want of PgBouncer fail.
  { stdio: "inherit", env: { ...process.env, RIVER_TEST_PGBOUNCER: "required" } },
);
process.exitCode = status ?? 1;
