/** Values that Postgres refuses at the end of an attempt, each with its own SQLSTATE. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { claim, driverFixture, endOf, insert, read, settle } from "./fixture/driver-fixture.ts";

failOnLeaks();

for (const [what, bad, sqlstate] of [
  ["a NUL", '{"output":"a\\u0000b"}', "22P05"],
  ["half a surrogate pair", '{"output":"\\ud800"}', "22P02"],
  ["no JSON", '{"output":', "22P02"],
  ["too deep nesting", `{"output":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "54001"],
  ["a number too large", '{"output":1e200000}', "22003"],
] as const) {
  test(`C02 ${what} in one row spoils the batch as a whole, and the error says that a row caused it`, async (t) => {
    const { driver } = await driverFixture(t);
    await insert(driver, {}, {});
    const [a, b] = await claim(driver);
    assert.ok(a && b);
    const settlements = [endOf(a), endOf(b, { metadata: bad })];
    await assert.rejects(driver.jobs.settle({ settlements, wantRows: false }), (error: Record<string, unknown>) => {
      assert.deepEqual([error["code"], error["retryable"]], ["database", false]);
      const details = error["details"] as Record<string, unknown>;
      assert.deepEqual([details["sqlstate"], details["rowCaused"]], [sqlstate, true]);
      assert.doesNotMatch(String(error["message"]) + JSON.stringify(error["cause"]), /output|surrogate|select/i);
      return true;
    });
    for (const { id } of [a, b]) assert.equal((await read(driver, id)).state, "running");
    assert.equal((await settle(driver, endOf(a))).outcome, "settled");
  });
}
