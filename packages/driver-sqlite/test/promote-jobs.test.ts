/** Promotion of due jobs: unique conflicts, limits, fencing, notices. */
import assert from "node:assert/strict";
import test from "node:test";
import { insertNotice, type LeaderTerm, type PromoteJobsParams, type PromoteJobsResult } from "riverqueue/driver";
import type { SqliteDriver } from "@riverqueue/driver-sqlite";
import { LANES } from "../src/sql/jobs/promote.ts";
import {
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  keyOf,
  lead,
  read,
  settle,
} from "./fixture/driver-fixture.ts";

const REQUIRED_STATES = 209;
const REQUIRED_AND_DISCARDED = 217;
const PAST = fromNow(-60_000);

async function promote(
  driver: SqliteDriver,
  term: LeaderTerm,
  overrides: Partial<PromoteJobsParams> = {},
): Promise<PromoteJobsResult> {
  const passAt = fromNow(0);
  const dueBy = passAt.add({ seconds: 5 });
  const result = await driver.jobs.promote({
    term,
    dueBy,
    passAt,
    noticeBy: passAt,
    limit: 10_000,
    noticesFor: () => [],
    ...overrides,
  });
  assert.ok(result);
  return result;
}

/** A job that was worked once and waits for its retry with `key`. */
async function retryable(driver: SqliteDriver, uniqueStates: number, key: number): Promise<bigint> {
  const { id } = await insertOne(driver, { uniqueKey: keyOf(key), uniqueStates, priority: 1 });
  const job = await claimOne(driver);
  assert.equal(job.id, id);
  await settle(driver, endOf(job, { state: "retryable", scheduledAt: PAST }));
  return id;
}

async function states(driver: SqliteDriver, ...ids: bigint[]): Promise<string[]> {
  return (await Promise.all(ids.map((id) => read(driver, id)))).map(({ state }) => state);
}

test("due jobs become available, up to the horizon and in order up to the limit", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const state = "scheduled";
  const jobs = await insert(
    driver,
    { state, scheduledAt: fromNow(-1_000), priority: 2 },
    { state, scheduledAt: fromNow(-2_000), queue: "other", priority: 2 },
    { state, scheduledAt: fromNow(4_000), priority: 1 },
    { state, scheduledAt: fromNow(60_000) },
    { state: "pending", scheduledAt: fromNow(-1_000) },
  );
  const ids = jobs.map(({ id }) => id);
  assert.deepEqual(await promote(driver, term, { limit: 2 }), { taken: 2, promoted: 2, discarded: 0, skipped: [] });
  assert.deepEqual(await states(driver, ...ids), ["scheduled", "available", "available", "scheduled", "pending"]);
  assert.equal((await promote(driver, term, { limit: 2 })).taken, 1);
  assert.deepEqual(await states(driver, ...ids), ["available", "available", "available", "scheduled", "pending"]);
  assert.equal((await read(driver, ids[2] ?? 0n)).scheduledAt.toString(), jobs[2]?.scheduledAt.toString());
});

test("C08 a due retry whose key was taken meanwhile is discarded; nobody else waits for it", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const a = await retryable(driver, REQUIRED_STATES, 1);
  const key = { uniqueKey: keyOf(1), uniqueStates: REQUIRED_STATES };
  const b = await insertOne(driver, { ...key, state: "scheduled", scheduledAt: fromNow(3_600_000) });
  await insert(driver, ...Array.from({ length: 500 }, () => ({ state: "scheduled" as const, scheduledAt: PAST })));
  const lone = await insertOne(driver, {
    uniqueKey: keyOf(2),
    uniqueStates: REQUIRED_STATES,
    state: "scheduled",
    scheduledAt: PAST,
  });
  const passAt = fromNow(0);
  assert.deepEqual(await promote(driver, term, { passAt }), { taken: 502, promoted: 501, discarded: 1, skipped: [] });
  const discarded = await read(driver, a);
  assert.equal(discarded.state, "discarded");
  assert.equal(discarded.metadata, '{"unique_key_conflict":"scheduler_discarded"}');
  assert.equal(discarded.finalizedAt?.toString(), passAt.toString());
  assert.equal(discarded.errors, "[]");
  assert.deepEqual(await states(driver, b.id, lone.id), ["scheduled", "available"]);
});

test("the holder of a key stays its holder when a retry of the same key is due with it", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const retry = await retryable(driver, REQUIRED_STATES, 1);
  const holder = await insertOne(driver, {
    uniqueKey: keyOf(1),
    uniqueStates: REQUIRED_STATES,
    state: "scheduled",
    scheduledAt: fromNow(0),
    priority: 4,
  });
  await promote(driver, term);
  assert.deepEqual(await states(driver, holder.id, retry), ["available", "discarded"]);
});

test("of two due retries of a free key the first in order gets it", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const first = await retryable(driver, REQUIRED_STATES, 1);
  const second = await retryable(driver, REQUIRED_STATES, 1);
  const { promoted, discarded } = await promote(driver, term);
  assert.deepEqual([promoted, discarded], [1, 1]);
  assert.deepEqual(await states(driver, first, second), ["available", "discarded"]);
});

test("a row that could not even be discarded is left alone and reported, however many there are", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const poison: bigint[] = [];
  for (const key of [1, 2, 3]) {
    poison.push(await retryable(driver, REQUIRED_AND_DISCARDED, key));
    await insertOne(driver, { uniqueKey: keyOf(key), uniqueStates: REQUIRED_STATES, state: "pending" });
  }
  const other = await insertOne(driver, { state: "scheduled", scheduledAt: fromNow(0), priority: 4 });
  const result = await promote(driver, term, { limit: 2 });
  assert.deepEqual(result, { taken: 1, promoted: 1, discarded: 0, skipped: poison });
  assert.deepEqual(await states(driver, other.id, ...poison), ["available", "retryable", "retryable", "retryable"]);
  assert.equal((await promote(driver, term, { limit: 2 })).taken, 0);
});

test("a row with a key but no mask is promoted and counts as nobody's conflict", async (t) => {
  const { driver, database } = await driverFixture(t);
  const term = await lead(driver);
  const free = await insertOne(driver, {
    uniqueKey: keyOf(1),
    uniqueStates: REQUIRED_STATES,
    state: "scheduled",
    scheduledAt: PAST,
  });
  database.prepare("UPDATE river_job SET unique_states = NULL WHERE id = ?").run(free.id);
  const holder = await insertOne(driver, {
    uniqueKey: keyOf(1),
    uniqueStates: REQUIRED_STATES,
    state: "scheduled",
    scheduledAt: PAST,
  });
  assert.equal((await promote(driver, term)).promoted, 2);
  assert.deepEqual(await states(driver, free.id, holder.id), ["available", "available"]);
});

test("queues of promoted jobs that are due by then are offered for notices once, inside the transaction", async (t) => {
  const { driver, database } = await driverFixture(t);
  const term = await lead(driver);
  const state = "scheduled";
  await insert(
    driver,
    { state, queue: "q1", scheduledAt: PAST },
    { state, queue: "q1", scheduledAt: PAST },
    { state, queue: "q2", scheduledAt: fromNow(4_000) },
  );
  const offered: unknown[] = [];
  await promote(driver, term, {
    noticesFor: (queues) => {
      offered.push(queues);
      return queues.map(insertNotice);
    },
  });
  assert.deepEqual(offered, [["q1"]]);
  assert.deepEqual(
    database
      .prepare("SELECT topic, payload FROM river_notification")
      .all()
      .map((row) => ({ ...row })),
    [{ topic: "river_insert", payload: '{"queue": "q1"}' }],
  );
});

test("a leader whose term is over changes nothing", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  const { id } = await insertOne(driver, { state: "scheduled", scheduledAt: PAST });
  await driver.leader.resign({ term });
  const params = { term, dueBy: fromNow(0), passAt: fromNow(0), noticeBy: fromNow(0), limit: 10, noticesFor: () => [] };
  assert.equal(await driver.jobs.promote(params), null);
  const before = fromNow(60_000);
  assert.equal(await driver.jobs.rescue({ term, horizon: before, rescues: [] }), null);
  assert.equal(await driver.queues.deleteExpired({ term, before, limit: 9 }), null);
  assert.equal(await driver.notices.deleteExpired({ term, before, limit: 9 }), null);
  const clean = { cancelledBefore: before, completedBefore: before, discardedBefore: before };
  assert.equal(await driver.jobs.deleteFinalized({ term, ...clean, limit: 9 }), null);
  assert.equal((await read(driver, id)).state, "scheduled");
});

test("the search for due jobs steps over what waits instead of reading it", async (t) => {
  const { database } = await driverFixture(t);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${LANES}`)
    .all()
    .map(({ detail }) => String(detail));
  assert.ok(
    plan.every((detail) => !/^SCAN river_job|^SCAN later|^SCAN this|^SCAN job|TEMP B-TREE/.test(detail)),
    plan.join("\n"),
  );
});
