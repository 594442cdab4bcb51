/** The step for older versions of Postgres finds what it is to run, and runs it on them. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { POSTGRES_TESTS } from "../postgres-tests.ts";

const cwd = fileURLToPath(new URL("../../../", import.meta.url));

test("every pattern finds files", () => {
  for (const pattern of POSTGRES_TESTS) assert.notEqual(globSync(pattern, { cwd }).length, 0, pattern);
});

test("the cases among them have Postgres to run on", () => {
  const cases = POSTGRES_TESTS.filter((pattern) => pattern.startsWith("internal/scenarios/"));
  assert.notEqual(cases.length, 0);
  for (const file of cases.flatMap((pattern) => globSync(pattern, { cwd }))) {
    assert.match(readFileSync(`${cwd}/${file}`, "utf8"), /\b(?:onBothDatabases|onPostgres|ownServerTest)\(/, file);
  }
});
