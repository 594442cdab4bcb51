/** Rescuing stuck jobs and deleting old ones. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import {
  claim,
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  lead,
  read,
  settle,
} from "./fixture/driver-fixture.ts";

failOnLeaks();

const ERROR = '{"at":"2024-05-01T12:34:56Z","attempt":3,"error":"Stuck job rescued by JobRescuer","trace":""}';

test("stuck jobs are listed page by page and rescued only while they are stuck", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  await insert(driver, {}, {}, {}, {});
  const jobs = await claim(driver);
  await lease.query("UPDATE river_job SET attempted_at = '2020-01-01T00:00:00Z' WHERE id < 4");
  const horizon = fromNow(-60_000);
  const first = await driver.jobs.listStuck({ horizon, afterId: 0n, limit: 2 });
  assert.deepEqual(
    first.map(({ id }) => id),
    [1n, 2n],
  );
  const second = await driver.jobs.listStuck({ horizon, afterId: 2n, limit: 2 });
  assert.deepEqual(
    second.map(({ id }) => id),
    [3n],
  );
  assert.ok(jobs[0]);
  await settle(driver, endOf(jobs[0]));
  await lease.query("UPDATE river_job SET attempted_at = '2099-01-01T00:00:00Z' WHERE id = 2");
  const scheduledAt = fromNow(60_000);
  const rescues = [1n, 2n, 3n, 99n].map(
    (id) =>
      ({
        id,
        state: "retryable",
        finalizedAt: null,
        scheduledAt,
        error: ERROR,
        metadata: '{"river:rescue_count":1}',
      }) as const,
  );
  assert.equal(await driver.jobs.rescue({ term, horizon, rescues }), 1);
  const rescued = await read(driver, 3n);
  assert.deepEqual(
    [rescued.state, JSON.parse(rescued.errors), rescued.metadata, rescued.attempt],
    ["retryable", [JSON.parse(ERROR)], '{"river:rescue_count": 1}', 1],
  );
  assert.equal(rescued.scheduledAt.toString(), scheduledAt.toString());
  assert.deepEqual([(await read(driver, 1n)).errors, (await read(driver, 2n)).state], ["[]", "running"]);
});

test("a rescued job may end instead of being retried", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  await insert(driver, {});
  const job = await claimOne(driver);
  const finalizedAt = fromNow(0);
  const rescue = {
    id: job.id,
    state: "discarded",
    finalizedAt,
    scheduledAt: null,
    error: ERROR,
    metadata: "{}",
  } as const;
  assert.equal(await driver.jobs.rescue({ term, horizon: fromNow(60_000), rescues: [rescue] }), 1);
  const stored = await read(driver, job.id);
  assert.deepEqual([stored.state, stored.finalizedAt?.toString()], ["discarded", finalizedAt.toString()]);
  assert.equal(stored.scheduledAt.toString(), job.scheduledAt.toString());
});

test("finalized rows are deleted by the age of each state, lowest IDs first; a state without age is kept", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  const row = "INSERT INTO river_job (kind, args, state, finalized_at) VALUES ('k', '{}', $1, $2)";
  for (const state of ["cancelled", "completed", "discarded"]) {
    for (const year of [2020, 2024]) await lease.query(row, [state, `${year}-01-01T00:00:00Z`]);
  }
  const ids = async (): Promise<number[]> =>
    (await lease.query("SELECT id FROM river_job ORDER BY id")).map(({ id }) => Number(id));
  const before = Temporal.Instant.from("2022-01-01T00:00:00Z");
  const params = { term, cancelledBefore: before, completedBefore: null, discardedBefore: fromNow(0) };
  assert.equal(await driver.jobs.deleteFinalized({ ...params, limit: 2 }), 2);
  assert.deepEqual(await ids(), [2, 3, 4, 6]);
  assert.equal(await driver.jobs.deleteFinalized({ ...params, limit: 2 }), 1);
  assert.deepEqual(await ids(), [2, 3, 4]);
  assert.equal(await driver.jobs.deleteFinalized({ ...params, limit: 2 }), 0);
});

test("a rescue that cannot be written costs only its own row", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  await insert(driver, {}, {}, {});
  const jobs = await claim(driver);
  const rescues = jobs.map(
    ({ id }, index) =>
      ({
        id,
        state: "retryable",
        finalizedAt: null,
        scheduledAt: null,
        error: ERROR,
        metadata: index === 1 ? '{"a":"\\u0000"}' : '{"river:rescue_count":1}',
      }) as const,
  );
  assert.equal(await driver.jobs.rescue({ term, horizon: fromNow(60_000), rescues }), 2);
  const stored = await Promise.all(jobs.map(({ id }) => read(driver, id)));
  assert.deepEqual(
    stored.map(({ state }) => state),
    ["retryable", "running", "retryable"],
  );
});

test("rows that another session holds are neither waited for nor rescued nor deleted", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  await insert(driver, {}, {}, {}, {});
  const jobs = await claim(driver);
  const [a, b, c, d] = jobs;
  assert.ok(a && b && c && d);
  await driver.jobs.settle({ settlements: [endOf(c), endOf(d)], wantRows: false });
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id IN ($1, $2) FOR UPDATE", [a.id, c.id]);
  const rescue = {
    state: "discarded",
    finalizedAt: fromNow(0),
    scheduledAt: null,
    error: ERROR,
    metadata: "{}",
  } as const;
  const rescues = [a, b].map(({ id }) => ({ id, ...rescue }));
  assert.equal(await driver.jobs.rescue({ term, horizon: fromNow(60_000), rescues }), 1);
  const before = fromNow(60_000);
  const params = { term, cancelledBefore: before, completedBefore: before, discardedBefore: null, limit: 9 };
  assert.equal(await driver.jobs.deleteFinalized(params), 1);
  await holder.query("ROLLBACK");
  assert.equal(await driver.jobs.deleteFinalized(params), 1);
});
