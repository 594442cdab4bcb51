/** A job's way through the driver: what it costs and how exact its times are. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { claim, driverFixture, endOf, insert, newJob, read } from "./fixture/driver-fixture.ts";

failOnLeaks();

test("an empty insertion, settlement or request touches nothing", async (t) => {
  const { driver, pool } = await driverFixture(t);
  await pool.end();
  assert.deepEqual(await driver.jobs.insert({ jobs: [], notices: [], durability: "default" }), []);
  assert.deepEqual(await driver.jobs.settle({ settlements: [], wantRows: true }), []);
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "c", ids: [] }), []);
  await driver.notices.send({ notices: [] });
});

test("a test's clock takes the place of the database's", async (t) => {
  const { driver } = await driverFixture(t);
  const now = Temporal.Instant.from("2001-02-03T04:05:06.789012Z");
  const [inserted] = await driver.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" }, { now });
  assert.equal(inserted?.job.scheduledAt.toString(), now.toString());
  const params = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null };
  assert.equal((await driver.jobs.claim(params, { now: now.subtract({ microseconds: 1 }) })).jobs.length, 0);
  const { jobs } = await driver.jobs.claim(params, { now });
  assert.equal(jobs[0]?.attemptedAt?.toString(), now.toString());
});

test("each completion of a batch keeps its own time", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {}, {});
  const jobs = await claim(driver);
  const times = ["2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.5000004Z", "2026-08-07T10:00:00.500001Z"];
  const settlements = jobs.map((job, index) => endOf(job, { finalizedAt: Temporal.Instant.from(times[index] ?? "") }));
  await driver.jobs.settle({ settlements, wantRows: false });
  const stored = await Promise.all(jobs.map(({ id }) => read(driver, id)));
  assert.deepEqual(
    stored.map(({ finalizedAt }) => finalizedAt?.toString()),
    ["2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.500001Z"],
  );
});
