/** How errors of SQLite are told apart. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { temporaryFolder } from "@riverqueue/internal-test-kit";
import { DatabaseOperationError } from "riverqueue/driver";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { translateFailure } from "../src/connection/sqlite-failure.ts";
import { driverFixture, insertOne } from "./fixture/driver-fixture.ts";

const REASONS: readonly [resultCode: number, reason: string, retryable: boolean, rowCaused: boolean][] = [
  [1, "other", false, false],
  [5, "busy", true, false],
  [6, "busy", true, false],
  [7, "io", true, false],
  [8, "readonly", false, false],
  [10 + (3 << 8), "io", true, false],
  [11, "corrupt", false, false],
  [13, "full", true, false],
  [14, "io", true, false],
  [15, "busy", true, false],
  [18, "too_big", false, true],
  [19 + (1 << 8), "constraint", false, true],
  [26, "corrupt", false, false],
  [517, "busy", true, false],
];

for (const [resultCode, reason, retryable, rowCaused] of REASONS) {
  test(`result code ${resultCode} is ${reason}`, () => {
    const raw = Object.assign(new Error("secret text of a statement"), {
      code: "ERR_SQLITE_ERROR",
      errcode: resultCode,
    });
    const error = translateFailure(raw, "jobs.insert");
    assert.ok(error instanceof DatabaseOperationError);
    assert.deepEqual({ ...error.details }, { reason, rowCaused, resultCode });
    assert.deepEqual([error.retryable, error.backend, error.operation], [retryable, "sqlite", "jobs.insert"]);
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error.cause)} ${String(error.cause)}`, /secret/);
  });
}

test("an error that is not SQLite's stays as it is", () => {
  const error = new TypeError("mistake");
  assert.equal(translateFailure(error, "jobs.insert"), error);
});

async function reasonOf(failing: Promise<unknown>): Promise<unknown> {
  const error = await failing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof DatabaseOperationError ? error.details["reason"] : error;
}

test("real failures: malformed JSON, a constraint, a missing table, no database", async (t) => {
  const { driver, database } = await driverFixture(t);
  assert.equal(await reasonOf(insertOne(driver, { args: "{" })), "malformed");
  assert.equal(await reasonOf(insertOne(driver, { kind: "" })), "constraint");
  database.exec("DROP TABLE river_job");
  assert.equal(await reasonOf(insertOne(driver)), "other");
  const path = join(temporaryFolder(t), "text.db");
  writeFileSync(path, "this is no database".repeat(100));
  using handle = new DatabaseSync(path);
  assert.throws(() => new SqliteDriver(handle), {
    code: "database",
    retryable: false,
    message: /damaged or no SQLite database/,
  });
});
