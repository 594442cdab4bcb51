/** Lists: filters, order, positions, and containment. */
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

test("all given filters must match, an empty one matches nothing", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(
    driver,
    { kind: "a1", queue: "q1", priority: 1, tags: ["one", "two"] },
    { kind: "a1", queue: "q2", priority: 2, tags: ["two"], state: "pending" },
    { kind: "b1", queue: "q1", priority: 3, tags: [] },
  );
  assert.deepEqual(await list(driver), [1n, 2n, 3n]);
  assert.deepEqual(await list(driver, { filter: { kinds: ["a1"], queues: ["q1", 'q"9'] } }), [1n]);
  assert.deepEqual(await list(driver, { filter: { ids: [3n, 1n, 9n] }, descending: true }), [3n, 1n]);
  assert.deepEqual(await list(driver, { filter: { priorities: [2, 3], states: ["available"] } }), [3n]);
  for (const key of ["ids", "kinds", "priorities", "queues", "states"])
    assert.deepEqual(await list(driver, { filter: { [key]: [] } }), []);
  assert.deepEqual(await list(driver, { tagsAll: ["two"] }), [1n, 2n]);
  assert.deepEqual(await list(driver, { tagsAll: ["two", "one"] }), [1n]);
  assert.deepEqual(await list(driver, { tagsAny: ["one", "nine"] }), [1n]);
  assert.deepEqual(await list(driver, { tagsAll: ["TWO"] }), []);
  assert.deepEqual(await list(driver, { tagsAny: [] }), []);
  assert.deepEqual(await list(driver, { tagsAll: [] }), [1n, 2n, 3n]);
  assert.deepEqual(await list(driver, { limit: 2 }), [1n, 2n]);
});

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

test("metadata containment is that of the database", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, { metadata: '{"a":{"b":1,"c":[1,"x",{"k":true}]},"n":1.50,"big":9007199254740993}' }, {});
  for (const metadata of ['{"a":{"c":[{"k":true},1e0]}}', '{"n":15e-1}', '{"big":9007199254740993}']) {
    assert.deepEqual(await list(driver, { metadata }), [1n], metadata);
  }
  for (const metadata of ['{"a":{"b":2}}', '{"big":9007199254740992}', '{"n":"1.5"}']) {
    assert.deepEqual(await list(driver, { metadata }), [], metadata);
  }
});

test("a list that takes longer than its limit fails and may be asked again", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE river_job IN ACCESS EXCLUSIVE MODE");
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 9 } as const;
  await assert.rejects(driver.jobs.list(params, { timeoutMs: 100 }), { code: "database", retryable: true });
  await holder.query("ROLLBACK");
  assert.deepEqual(await list(driver), []);
});
