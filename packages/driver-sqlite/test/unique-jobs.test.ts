/** Unique keys: who holds one, what an insertion, a retry or a cancellation against the holder does. */
import assert from "node:assert/strict";
import test from "node:test";
import { HOLDERS } from "../src/sql/jobs/holders.ts";
import { KEY_HOLDERS } from "../src/sql/jobs/promote.ts";
import { claimOne, driverFixture, endOf, insertOne, keyOf, newJob, read, settle } from "./fixture/driver-fixture.ts";

const DEFAULT_STATES = 245;
const REQUIRED_STATES = 209;
const REQUIRED_AND_CANCELLED = 211;

test("a duplicate is answered with the holder, which stays as it is", async (t) => {
  const { driver, database } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(1), uniqueStates: DEFAULT_STATES };
  const holder = await insertOne(driver, { ...unique, kind: "first", metadata: '{"a":1}' });
  const before = database.prepare("SELECT * FROM river_job WHERE id = ?").get(holder.id);
  const jobs = [newJob({ args: '{"n":1}' }), newJob({ ...unique, kind: "second" }), newJob({ args: '{"n":2}' })];
  const results = await driver.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.deepEqual(
    results.map(({ duplicate }) => duplicate),
    [false, true, false],
  );
  assert.deepEqual(
    results.map(({ job }) => job.kind),
    ["noop", "first", "noop"],
  );
  assert.equal(results[1]?.job.id, holder.id);
  assert.deepEqual(
    results.map(({ job }) => job.args),
    ['{"n":1}', "{}", '{"n":2}'],
  );
  assert.deepEqual(database.prepare("SELECT * FROM river_job WHERE id = ?").get(holder.id), before);
});

test("a key is free once its holder left the states of its mask, and was never held without a mask", async (t) => {
  const { driver, database } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(2), uniqueStates: REQUIRED_STATES };
  const first = await insertOne(driver, unique);
  await settle(driver, endOf(await claimOne(driver)));
  const second = await insertOne(driver, unique);
  assert.notEqual(second.id, first.id);
  database.prepare("UPDATE river_job SET unique_states = NULL WHERE id = ?").run(second.id);
  const third = await insertOne(driver, unique);
  assert.notEqual(third.id, second.id);
  assert.equal((await insertOne(driver, unique)).id, third.id);
});

test("C07 1,000 jobs of which half hold keys already", async (t) => {
  const { driver } = await driverFixture(t);
  const jobs = Array.from({ length: 1_000 }, (_, index) => {
    const uniqueKey = new Uint8Array(32);
    new DataView(uniqueKey.buffer).setUint32(0, index);
    return newJob({ uniqueKey, uniqueStates: DEFAULT_STATES, args: `{"n":${index}}` });
  });
  const even = await driver.jobs.insert({
    jobs: jobs.filter((_, index) => index % 2 === 0),
    notices: [],
    durability: "default",
  });
  const all = await driver.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.ok(all.every(({ duplicate }, index) => duplicate === (index % 2 === 0)));
  assert.ok(all.every(({ job }, index) => job.args === `{"n":${index}}`));
  assert.ok(even.every(({ job }, index) => job.id === all[index * 2]?.job.id));
});

test("key holders are found by the unique index", async (t) => {
  const { database } = await driverFixture(t);
  for (const statement of [HOLDERS, KEY_HOLDERS]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all("[]");
    assert.ok(
      plan.some(({ detail }) => /USING INDEX river_job_unique_idx/.test(String(detail))),
      statement,
    );
  }
});

test("a retry into a taken key changes nothing and names the holder", async (t) => {
  const { driver } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(3), uniqueStates: REQUIRED_STATES };
  const { id } = await insertOne(driver, unique);
  await settle(driver, endOf(await claimOne(driver), { state: "retryable" }));
  const holder = await insertOne(driver, unique);
  assert.deepEqual(await driver.jobs.retry({ id }), { outcome: "unique_conflict", holderId: holder.id });
  assert.equal((await read(driver, id)).state, "retryable");
});

test("a cancellation into a taken key changes nothing, sends nothing and names the holder", async (t) => {
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
