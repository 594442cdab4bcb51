/** Promotion of due jobs: a key taken at the same time, and what is read. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import type { PgDriver } from "@riverqueue/driver-pg";
import {
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insertOne,
  keyOf,
  lead,
  newJob,
  stateOf,
  settle,
} from "./fixture/driver-fixture.ts";
import { dialectFor } from "../src/connection/dialect.ts";
import { DUE } from "../src/sql/jobs/promote.ts";

failOnLeaks();

const REQUIRED_STATES = 209;
const PAST = fromNow(-60_000);

/** A job that was worked once and waits for its retry with `key`. */
async function retryable(driver: PgDriver, key: number): Promise<bigint> {
  const { id } = await insertOne(driver, { uniqueKey: keyOf(key), uniqueStates: REQUIRED_STATES });
  const job = await claimOne(driver);
  assert.equal(job.id, id);
  await settle(driver, endOf(job, { state: "retryable", scheduledAt: PAST }));
  return id;
}

test("a key that is taken between looking and writing costs only its own row", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const retry = await retryable(driver, 1);
  const lone = await retryable(driver, 2);
  const inserter = await lease.connect();
  await inserter.query("BEGIN");
  const unique = { uniqueKey: keyOf(1), uniqueStates: REQUIRED_STATES };
  const params = { jobs: [newJob(unique)], notices: [], durability: "default" } as const;
  await driver.jobs.insert(params, { scope: { owner: "caller", tx: inserter } });
  // Promotion does not see the row yet, and waits for its key.
  const at = { dueBy: fromNow(0), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9, noticesFor: () => [] };
  const promoting = driver.jobs.promote({ term, ...at });
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await pollUntil(async () => (await lease.query(waiting)).length > 0);
  await inserter.query("COMMIT");
  assert.deepEqual(await promoting, { taken: 2, promoted: 1, discarded: 1, skipped: [] });
  assert.deepEqual([await stateOf(lease, retry), await stateOf(lease, lone)], ["discarded", "available"]);
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
