/** `npm run test:pgbouncer`: the Postgres driver, and clients with their leaders, through PgBouncer in transaction mode. */
import { spawnSync } from "node:child_process";
import { PGBOUNCER_PROGRAM, pgBouncerVersion } from "../../internal/test-kit/src/pgbouncer.ts";
import { missingProgram } from "./debian-package.ts";
import { skipOrFail } from "./skip-or-fail.ts";

const missing = missingProgram(PGBOUNCER_PROGRAM, "pgbouncer");
if (missing !== null) skipOrFail("PgBouncer", missing);

console.log(`testing through ${pgBouncerVersion()}`);
const files = ["packages/driver-pg/test/pgbouncer.test.ts", "internal/scenarios/test/c26-two-leaders.test.ts"];
const { status } = spawnSync(
  process.execPath,
  ["scripts/run-tests.mjs", "--scale=20", ...process.argv.slice(2), ...files],
  // Tests that would be skipped for want of PgBouncer fail.
  { stdio: "inherit", env: { ...process.env, RIVER_TEST_PGBOUNCER: "required" } },
);
process.exitCode = status ?? 1;
