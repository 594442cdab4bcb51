import assert from "node:assert/strict";
import test from "node:test";
import { assertSqliteVersion } from "../src/connection/sqlite-version.ts";

test("an SQLite that lacks what the statements need is refused by name, newer ones are not", () => {
  assertSqliteVersion();
  for (const version of ["3.51.0", "3.53.4", "4.0.0"]) assertSqliteVersion(version);
  for (const version of ["3.50.4", "3.9.2", "2.99.0"]) {
    assert.throws(() => assertSqliteVersion(version), { code: "configuration", message: new RegExp(version) });
  }
  assert.throws(() => assertSqliteVersion(""), { code: "configuration" });
});
