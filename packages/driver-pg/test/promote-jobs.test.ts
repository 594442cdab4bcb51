/** Promotion of due jobs: unique conflicts, limits, fencing, notices. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { insertNotice, type LeaderTerm, type PromoteJobsParams, type PromoteJobsResult } from "riverqueue/driver";
import type { PgDriver } from "@riverqueue/driver-pg";
import {
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  keyOf,
  lead,
  newJob,
  read,
  settle,
} from "./fixture/driver-fixture.ts";
import { dialectFor } from "../src/connection/dialect.ts";
import { DUE } from "../src/sql/jobs/promote.ts";
import { heardBy } from "./fixture/heard-by.ts";

failOnLeaks();

const REQUIRED_STATES = 209;
const REQUIRED_AND_DISCARDED = 217;
const PAST = fromNow(-60_000);

async function promote(
  driver: PgDriver,
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
async function retryable(driver: PgDriver, uniqueStates: number, key: number): Promise<bigint> {
  const { id } = await insertOne(driver, { uniqueKey: keyOf(key), uniqueStates, priority: 1 });
  const job = await claimOne(driver);
  assert.equal(job.id, id);
  await settle(driver, endOf(job, { state: "retryable", scheduledAt: PAST }));
  return id;
}

async function states(driver: PgDriver, ...ids: bigint[]): Promise<string[]> {
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
  assert.equal(discarded.metadata, '{"unique_key_conflict": "scheduler_discarded"}');
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
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const free = await insertOne(driver, {
    uniqueKey: keyOf(1),
    uniqueStates: REQUIRED_STATES,
    state: "scheduled",
    scheduledAt: PAST,
  });
  await lease.query("UPDATE river_job SET unique_states = NULL WHERE id = $1", [free.id]);
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
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const state = "scheduled";
  await insert(
    driver,
    { state, queue: "q1", scheduledAt: PAST },
    { state, queue: "q1", scheduledAt: PAST },
    { state, queue: "q2", scheduledAt: fromNow(4_000) },
  );
  const heard = await heardBy(lease);
  const offered: unknown[] = [];
  await promote(driver, term, {
    noticesFor: (queues) => {
      offered.push(queues);
      return queues.map(insertNotice);
    },
  });
  assert.deepEqual(offered, [["q1"]]);
  assert.deepEqual(await heard(1), [["public.river_insert", '{"queue": "q1"}']]);
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

test("A.7 of a due holder and a due row with the same key and no mask both become available", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const unique = { uniqueKey: keyOf(1), uniqueStates: REQUIRED_STATES, state: "scheduled", scheduledAt: PAST } as const;
  const holder = await insertOne(driver, unique);
  await lease.query(
    `INSERT INTO river_job (kind, args, state, scheduled_at, unique_key, max_attempts)
      SELECT 'k', '{}', 'retryable', scheduled_at, unique_key, 25 FROM river_job WHERE id = $1`,
    [holder.id],
  );
  assert.deepEqual(await promote(driver, term), { taken: 2, promoted: 2, discarded: 0, skipped: [] });
});

test("a locked due row is left to the next pass and holds up nobody", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const jobs = await insert(driver, ...[1, 2, 3].map(() => ({ state: "scheduled" as const, scheduledAt: PAST })));
  const ids = jobs.map(({ id }) => id);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [ids[1]]);
  assert.equal((await promote(driver, term)).promoted, 2);
  await holder.query("ROLLBACK");
  assert.deepEqual(await states(driver, ...ids), ["available", "scheduled", "available"]);
  assert.equal((await promote(driver, term)).promoted, 1);
});

test("a key that is taken between looking and writing costs only its own row", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const retry = await retryable(driver, REQUIRED_STATES, 1);
  const lone = await retryable(driver, REQUIRED_STATES, 2);
  const inserter = await lease.connect();
  await inserter.query("BEGIN");
  const unique = { uniqueKey: keyOf(1), uniqueStates: REQUIRED_STATES };
  const params = { jobs: [newJob(unique)], notices: [], durability: "default" } as const;
  await driver.jobs.insert(params, { scope: { owner: "caller", tx: inserter } });
  // Promotion does not see the row yet, and waits for its key.
  const promoting = promote(driver, term);
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await pollUntil(async () => (await lease.query(waiting)).length > 0);
  await inserter.query("COMMIT");
  const result = await promoting;
  assert.deepEqual([result.promoted, result.discarded, result.skipped], [1, 1, []]);
  assert.deepEqual(await states(driver, retry, lone), ["discarded", "available"]);
});

test("what is not due is not read, however much of it there is", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await lease.query(
    `INSERT INTO river_job (kind, args, queue, state, scheduled_at)
      SELECT 'k', '{}', 'q' || n % 5, 'scheduled', now() + interval '1 day' FROM generate_series(1, 20000) AS n`,
  );
  await lease.query("ANALYZE river_job");
  await insertOne(driver, { state: "scheduled", scheduledAt: PAST });
  const text = DUE(dialectFor(null, { notifies: true, tellsByXmax: true }, false));
  const values = ["now()", "10000"].map((value) => `'${value}'`);
  const bound = text.replaceAll("$1", values[0] ?? "").replaceAll("$2", values[1] ?? "");
  const [row] = await lease.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${bound}`);
  const plan = JSON.stringify(row?.["QUERY PLAN"]);
  const discarded = [...plan.matchAll(/"Rows Removed by Filter":(?<rows>\d+)/g)].map(({ groups }) =>
    Number(groups?.["rows"]),
  );
  assert.ok(
    discarded.every((rows) => rows < 100),
    plan,
  );
  assert.doesNotMatch(plan, /Seq Scan/);
});
