// Runs once before all test files: settles and prints the scale of the run, starts the Postgres server that all of them
// share, unless DATABASE_URL names one, and makes the database there that they copy. Where no server can be started, the
// tests that need one say so and are skipped.
import { findPostgresBinaries } from "../internal/test-kit/src/postgres-binaries.ts";
import { startPostgresServer } from "../internal/test-kit/src/postgres-server.ts";
import { createTemplate, dropTemplate, TEMPLATE_VARIABLE } from "../internal/test-kit/src/postgres-template.ts";

const DEFAULT_SCALE = 20;

let server = null;

/** Hands RIVER_TEST_SCALE, DATABASE_URL and the name of the template to the test processes. */
export async function globalSetup() {
  settleScale();
  if (!process.env.DATABASE_URL) {
    if (findPostgresBinaries() === null) return;
    server = await startPostgresServer();
    process.env.DATABASE_URL = server.url;
  }
  const name = `river_template_${process.pid}`;
  await createTemplate(process.env.DATABASE_URL, name);
  process.env[TEMPLATE_VARIABLE] = name;
}

export async function globalTeardown() {
  const name = process.env[TEMPLATE_VARIABLE];
  if (server === null && name !== undefined) await dropTemplate(process.env.DATABASE_URL, name);
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
