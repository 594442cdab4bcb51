/** Lists: filters, order, positions, and what "contains" means for metadata. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JobListPosition, JobSortColumn, ListJobsParams } from "riverqueue/driver";
import type { SqliteDriver } from "@riverqueue/driver-sqlite";
import { driverFixture, fromNow, insert } from "./fixture/driver-fixture.ts";

async function list(driver: SqliteDriver, overrides: Partial<ListJobsParams> = {}): Promise<bigint[]> {
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
  assert.deepEqual(await list(driver, { filter: { kinds: ["a1"], queues: ["q1", "q9"] } }), [1n]);
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

test("ties are broken by ID in the same direction", async (t) => {
  const { driver } = await driverFixture(t);
  const scheduledAt = fromNow(60_000);
  await insert(driver, { scheduledAt }, { scheduledAt }, { scheduledAt: scheduledAt.add({ milliseconds: 1 }) });
  const after = { id: 2n, time: scheduledAt };
  for (const sortBy of ["id", "scheduledAt"] satisfies JobSortColumn[]) {
    assert.deepEqual(await list(driver, { sortBy, descending: true }), [3n, 2n, 1n]);
    assert.deepEqual(await list(driver, { sortBy, after }), [3n]);
    assert.deepEqual(await list(driver, { sortBy, after, descending: true }), [1n]);
  }
  const gone = { id: 99n, time: scheduledAt };
  assert.deepEqual(await list(driver, { sortBy: "scheduledAt", after: gone }), [3n]);
});

test("metadata containment: objects by key, arrays as sets, scalars by type and value", async (t) => {
  const { driver, database } = await driverFixture(t);
  const stored =
    '{"a":{"b":1,"c":[1,"x",{"k":true}]},"n":1.50,"big":9007199254740993,"z":null,"s":"text","e":{},"f":[],"__proto__":{"p":1},"neg":-0}';
  await insert(driver, { metadata: stored }, {});
  database.prepare("INSERT INTO river_job (kind, metadata) VALUES ('k', 'garbage')").run();
  const contained = [
    "{}",
    '{"a":{}}',
    '{"a":{"b":1.0}}',
    '{"a":{"c":["x"]}}',
    '{"a":{"c":[{"k":true},1e0]}}',
    '{"a":{"c":[{}]}}',
    '{"a":{"c":[]}}',
    '{"n":15e-1,"z":null}',
    '{"big":9007199254740993}',
    '{"s":"text","e":{},"f":[]}',
    '{"__proto__":{"p":1}}',
    '{"neg":0.0}',
  ];
  for (const metadata of contained) assert.ok((await list(driver, { metadata })).includes(1n), metadata);
  const missing = [
    '{"a":{"b":2}}',
    '{"a":{"c":"x"}}',
    '{"a":[]}',
    '{"big":9007199254740992}',
    '{"s":"Text"}',
    '{"z":0}',
    '{"n":"1.5"}',
    '{"e":[]}',
    '{"f":[1]}',
    '{"f":{}}',
    '{"toString":{}}',
    '{"a":{"c":[[1]]}}',
  ];
  for (const metadata of missing) assert.deepEqual(await list(driver, { metadata }), [], metadata);
  assert.deepEqual(await list(driver, { metadata: "{}" }), [1n, 2n]);
});

test("a search in metadata goes through the table in slices, in order, up to its limit", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(
    driver,
    ...Array.from({ length: 1_000 }, (_, index) => ({ metadata: index % 300 === 299 ? '{"hit":1}' : "{}" })),
  );
  assert.deepEqual(await list(driver, { metadata: '{"hit":1}' }), [300n, 600n, 900n]);
  const sorted = { metadata: '{"hit":1}', sortBy: "scheduledAt", descending: true } as const;
  assert.deepEqual(await list(driver, { ...sorted, limit: 2 }), [900n, 600n]);
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 9, metadata: '{"hit":2}' } as const;
  await assert.rejects(driver.jobs.list(params, { timeoutMs: 0 }), { code: "database", retryable: true });
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
