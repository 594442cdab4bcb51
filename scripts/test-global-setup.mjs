// Runs once before all test files: settles and prints the scale of the run, and starts the Postgres server that all of
// them share, unless DATABASE_URL names one. Where none can be started, the tests that need one say so and are skipped.
import { findPostgresBinaries } from "../internal/test-kit/src/postgres-binaries.ts";
import { startPostgresServer } from "../internal/test-kit/src/postgres-server.ts";

const DEFAULT_SCALE = 20;

let server = null;

/** Hands RIVER_TEST_SCALE and DATABASE_URL to the test processes. */
export async function globalSetup() {
  settleScale();
  if (process.env.DATABASE_URL || findPostgresBinaries() === null) return;
  server = await startPostgresServer();
  process.env.DATABASE_URL = server.url;
}

export async function globalTeardown() {
  await server?.stop();
}

function settleScale() {
  const text = process.env.RIVER_TEST_SCALE ?? String(DEFAULT_SCALE);
  const scale = Number(text);
  if (!(Number.isFinite(scale) && scale >= 1)) {
    throw new Error(`RIVER_TEST_SCALE must be a number of at least 1, and is ${JSON.stringify(text)}`);
  }
  process.env.RIVER_TEST_SCALE = String(scale);
  console.log(`node ${process.versions.node}, test scale ${scale}: intervals of the product divided by ${scale}`);
}
