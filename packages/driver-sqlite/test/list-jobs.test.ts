/** Lists: rows of every age, and statements of every shape. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JobListPosition, JobSortColumn, ListJobsParams } from "riverqueue/driver";
import type { SqliteDriver } from "@riverqueue/driver-sqlite";
import { driverFixture, insert } from "./fixture/driver-fixture.ts";

async function list(driver: SqliteDriver, overrides: Partial<ListJobsParams> = {}): Promise<bigint[]> {
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 100, ...overrides } as const;
  return (await driver.jobs.list(params)).map(({ id }) => id);
}

test("times that other clients wrote sort as times, and paging meets every row once", async (t) => {
  const { driver, database } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {}, {});
  const times = [
    "2026-01-02 00:00:00.000",
    null,
    "2026-01-01 00:00:00.5",
    "2026-01-01 00:00:00.123456789 +0000 UTC",
    null,
  ];
  for (const [index, time] of times.entries()) {
    database.prepare("UPDATE river_job SET attempted_at = ?1 WHERE id = ?2").run(time, index + 1);
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

test("lists of very many shapes do not pile up statements", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {});
  const columns: JobSortColumn[] = ["id", "attemptedAt", "finalizedAt", "scheduledAt"];
  const filters = Array.from({ length: 32 }, (_, bits) => ({
    ...(bits & 1 ? { ids: [1n] } : {}),
    ...(bits & 2 ? { kinds: ["noop"] } : {}),
    ...(bits & 4 ? { queues: ["default"] } : {}),
    ...(bits & 8 ? { states: ["available" as const] } : {}),
    ...(bits & 16 ? { priorities: [1] } : {}),
  }));
  for (const sortBy of columns) {
    for (const descending of [false, true]) {
      for (const filter of filters) assert.deepEqual(await list(driver, { filter, sortBy, descending }), [1n]);
    }
  }
});
