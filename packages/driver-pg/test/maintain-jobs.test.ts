/** Rescuing stuck jobs and deleting old ones beside rows that cannot be written. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { claim, driverFixture, endOf, fromNow, insert, lead, read } from "./fixture/driver-fixture.ts";

failOnLeaks();

const ERROR = '{"at":"2024-05-01T12:34:56Z","attempt":3,"error":"Stuck job rescued by JobRescuer","trace":""}';

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
  const noted: bigint[] = [];
  const refusals = { known: [], note: (id: bigint) => void noted.push(id) };
  assert.equal(await driver.jobs.rescue({ term, horizon: fromNow(60_000), rescues, refusals }), 2);
  assert.deepEqual(noted, [jobs[1]?.id]);
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
