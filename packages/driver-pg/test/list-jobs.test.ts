/** Lists: order and positions to the microsecond. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import type { JobListPosition, JobSortColumn, ListJobsParams } from "riverqueue/driver";
import type { PgDriver } from "@riverqueue/driver-pg";
import { driverFixture, fromNow, insert } from "./fixture/driver-fixture.ts";

failOnLeaks();

async function list(driver: PgDriver, overrides: Partial<ListJobsParams> = {}): Promise<bigint[]> {
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 100, ...overrides } as const;
  return (await driver.jobs.list(params)).map(({ id }) => id);
}

test("rows without a time come last ascending and first descending, and paging meets every row once", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {}, {});
  const times = ["2026-01-02T00:00:00Z", null, "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.123456Z", null];
  for (const [index, time] of times.entries()) {
    await lease.query("UPDATE river_job SET attempted_at = $1 WHERE id = $2", [time, index + 1]);
  }
  const expected = { false: [4n, 3n, 1n, 2n, 5n], true: [5n, 2n, 1n, 3n, 4n] };
  for (const descending of [false, true]) {
    const order = { sortBy: "attemptedAt", descending } as const;
    assert.deepEqual(await list(driver, order), expected[`${descending}`]);
    const met: bigint[] = [];
    let after: JobListPosition | null = null;
    for (;;) {
      const [job] = await driver.jobs.list({ filter: {}, ...order, after, limit: 1 });
      if (job === undefined) break;
      met.push(job.id);
      after = { id: job.id, time: job.attemptedAt };
    }
    assert.deepEqual(met, expected[`${descending}`]);
  }
});

test("ties are broken by ID in the same direction", async (t) => {
  const { driver } = await driverFixture(t);
  const scheduledAt = fromNow(60_000);
  await insert(driver, { scheduledAt }, { scheduledAt }, { scheduledAt: scheduledAt.add({ microseconds: 1 }) });
  const after = { id: 2n, time: scheduledAt };
  for (const sortBy of ["id", "scheduledAt"] satisfies JobSortColumn[]) {
    assert.deepEqual(await list(driver, { sortBy, descending: true }), [3n, 2n, 1n]);
    assert.deepEqual(await list(driver, { sortBy, after }), [3n]);
    assert.deepEqual(await list(driver, { sortBy, after, descending: true }), [1n]);
  }
  const gone = { id: 99n, time: scheduledAt };
  assert.deepEqual(await list(driver, { sortBy: "scheduledAt", after: gone }), [3n]);
});
