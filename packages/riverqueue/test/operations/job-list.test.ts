import assert from "node:assert/strict";
import test from "node:test";
import { inspect } from "node:util";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { JobListOptions } from "../../src/api/job-operations.ts";
import { openOperations, type SqliteOperations } from "./testdata/sqlite-operations.ts";

failOnLeaks();

async function idsOf({ jobs }: SqliteOperations, options: JobListOptions): Promise<bigint[]> {
  const page = await jobs.list(options);
  assert.equal(page.nextCursor, null);
  return page.jobs.map(({ id }) => id);
}

/** All pages of two jobs each. */
async function idsByPages({ jobs }: SqliteOperations, options: JobListOptions): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: string | undefined;
  do {
    const page = await jobs.list({ ...options, limit: 2, after });
    ids.push(...page.jobs.map(({ id }) => id));
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
  return ids;
}

test("a list filters by every column it can, all filters at once", async (t) => {
  const operations = await openOperations(t);
  const [a = 0n, b = 0n, c = 0n, d = 0n] = await operations.insert(
    { kind: "mail", tags: ["red", "big"], metadata: '{"user":{"id":1,"name":"a"},"roles":["x","y"]}' },
    { kind: "mail", queue: "slow", tags: ["red"], priority: 2 },
    { kind: "resize", state: "pending", tags: ["Red"], metadata: '{"user":{"id":2}}' },
    { kind: "resize", state: "scheduled", metadata: '{"user":{"id":1}}' },
  );
  const cases: [options: JobListOptions, ids: bigint[]][] = [
    [{}, [a, b, c, d]],
    [{ sortDirection: "desc" }, [d, c, b, a]],
    [{ ids: [c, a, 99n] }, [a, c]],
    [{ kinds: ["mail"] }, [a, b]],
    [{ queues: ["slow", "none"] }, [b]],
    [{ priorities: [2, 3] }, [b]],
    [{ states: ["pending", "scheduled"] }, [c, d]],
    [{ tagsAll: ["red", "big"] }, [a]],
    [{ tagsAny: ["big", "Red"] }, [a, c]],
    [{ metadata: { user: { id: 1 } } }, [a, d]],
    [{ metadata: { roles: ["y"] } }, [a]],
    [{ metadata: {} }, [a, b, c, d]],
    [{ kinds: ["mail"], queues: ["default"], tagsAll: ["red"], metadata: { user: { name: "a" } } }, [a]],
    [{ kinds: ["mail"], states: ["pending"] }, []],
    [{ ids: [] }, []],
    [{ kinds: [] }, []],
    [{ priorities: [] }, []],
    [{ queues: [] }, []],
    [{ states: [] }, []],
    [{ tagsAny: [] }, []],
  ];
  for (const [options, ids] of cases) assert.deepEqual(await idsOf(operations, options), ids, inspect(options));
});

test("every order pages through all jobs, in both directions", async (t) => {
  const operations = await openOperations(t);
  const { clock, insert, claim, jobs } = operations;
  const at = (seconds: number): Temporal.Instant => clock.now().subtract({ seconds });
  const ids = await insert(...[5, 3, 3, 9, 3, 1, 7].map((seconds) => ({ scheduledAt: at(seconds) })));
  const [i0 = 0n, i1 = 0n, i2 = 0n, i3 = 0n, i4 = 0n, i5 = 0n, i6 = 0n] = ids;
  const bySchedule = [i3, i6, i0, i1, i2, i4, i5];
  assert.deepEqual(await idsByPages(operations, {}), ids);
  assert.deepEqual(await idsByPages(operations, { sortDirection: "desc" }), ids.toReversed());
  for (const orderBy of ["scheduledAt", "time"] as const) {
    assert.deepEqual(await idsByPages(operations, { orderBy }), bySchedule);
    assert.deepEqual(await idsByPages(operations, { orderBy, sortDirection: "desc" }), bySchedule.toReversed());
  }

  assert.deepEqual(await claim(2), [i3, i6]);
  await clock.advance(1_000);
  assert.deepEqual(await claim(1), [i0]);
  for (const id of [i2, i1, i5, i4]) {
    await clock.advance(1_000);
    await jobs.cancel(id);
  }
  const byEnd = [i2, i1, i5, i4];
  assert.deepEqual(await idsByPages(operations, { orderBy: "finalizedAt" }), byEnd);
  assert.deepEqual(await idsByPages(operations, { orderBy: "finalizedAt", states: ["completed"] }), []);
  const descending = { orderBy: "time", states: ["cancelled"], sortDirection: "desc" } as const;
  assert.deepEqual(await idsByPages(operations, descending), byEnd.toReversed());
  assert.deepEqual(await idsByPages(operations, { orderBy: "time", states: ["running"] }), [i3, i6, i0]);
});

test("a list by the time of its first state pages through jobs without that time too", async (t) => {
  const operations = await openOperations(t);
  const ids = await operations.insert({}, {}, {}, {}, {}, {});
  await operations.claim(3);
  for (const states of [
    ["running", "available"],
    ["available", "running"],
    ["cancelled", "available", "running"],
  ] as const) {
    assert.deepEqual(await idsByPages(operations, { orderBy: "time", states }), ids);
    const backwards = await idsByPages(operations, { orderBy: "time", states, sortDirection: "desc" });
    assert.deepEqual(backwards, ids.toReversed());
  }
});

test("a page that is not full has no cursor, and 100 jobs are a page", async (t) => {
  const { jobs, insert } = await openOperations(t);
  assert.deepEqual(await jobs.list(), { jobs: [], nextCursor: null });
  await insert(...Array.from({ length: 101 }, () => ({})));
  const page = await jobs.list();
  assert.equal(page.jobs.length, 100);
  const last = await jobs.list({ after: page.nextCursor ?? "" });
  assert.deepEqual([last.jobs.length, last.nextCursor], [1, null]);
  const exact = await jobs.list({ limit: 101 });
  assert.deepEqual((await jobs.list({ limit: 101, after: exact.nextCursor ?? "" })).jobs, []);
});
