/** Unique keys in transactions of the application, which go on after a conflict. */
import assert from "node:assert/strict";
import test from "node:test";
import { claimOne, driverFixture, endOf, insertOne, keyOf, read, settle } from "./fixture/driver-fixture.ts";

const REQUIRED_AND_CANCELLED = 211;

test("a cancellation into a taken key names the holder there as well, changes nothing and sends nothing", async (t) => {
  const { driver, database } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(4), uniqueStates: REQUIRED_AND_CANCELLED };
  const { id } = await insertOne(driver, unique);
  await settle(driver, endOf(await claimOne(driver), { state: "retryable" }));
  const holder = await insertOne(driver, unique);
  database.exec("BEGIN");
  const params = { id, requestedAt: Temporal.Now.instant() };
  const result = await driver.jobs.cancel(params, { scope: { owner: "caller", tx: database } });
  assert.deepEqual(result, { outcome: "unique_conflict", holderId: holder.id });
  database.exec("COMMIT");
  assert.equal((await read(driver, id)).state, "retryable");
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_notification").get()?.["n"], 0);
});
