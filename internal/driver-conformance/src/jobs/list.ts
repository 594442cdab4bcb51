/** Lists: filters, order, and going on behind a position. */
import assert from "node:assert/strict";
import type { JobListPosition, JobRecord, JobSortColumn, ListJobsParams } from "riverqueue/driver";
import { isFinalizedState } from "riverqueue/driver";
import * as fc from "fast-check";
import type { ConformanceTest } from "../conformance-test.ts";
import { fromNow, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";

const COLUMNS = ["id", "attemptedAt", "finalizedAt", "scheduledAt"] as const satisfies readonly JobSortColumn[];
const STATES = ["available", "running", "completed", "discarded", "retryable"] as const;
const RUNS = 40;

export function listTests(test: ConformanceTest): void {
  test("all given filters must match, an absent one matches everything, an empty one nothing", filters);
  test("tags are compared exactly: all of them, or any of them", filtersTags);
  test("rows without a time come last ascending and first descending, ties by ID in the same direction", sorts);
  test("a list goes on behind a position, whether its row still exists or not", goesOnBehind);
  test("a list of any filter and order is that of the model, page by page", listsByTheModel);
}

async function list(subject: Subject, overrides: Partial<ListJobsParams> = {}): Promise<bigint[]> {
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 100, ...overrides } as const;
  return (await subject.jobs.list(params)).map(({ id }) => id);
}

async function filters(subject: Subject): Promise<void> {
  const [a, b, c] = (
    await subject.add(
      { kind: "a1", queue: "q1", priority: 1 },
      { kind: "a1", queue: "q2", priority: 2, state: "pending" },
      { kind: "b1", queue: "q1", priority: 3 },
    )
  ).map(({ id }) => id);
  assert.ok(a && b && c);
  assert.deepEqual(await list(subject), [a, b, c]);
  assert.deepEqual(await list(subject, { limit: 2 }), [a, b]);
  assert.deepEqual(await list(subject, { filter: { kinds: ["a1"], queues: ["q1", "q9"] } }), [a]);
  assert.deepEqual(await list(subject, { filter: { ids: [c, a, 99_999n] }, descending: true }), [c, a]);
  assert.deepEqual(await list(subject, { filter: { priorities: [2, 3], states: ["available"] } }), [c]);
  assert.deepEqual(await list(subject, { filter: { states: ["pending", "running"] } }), [b]);
  assert.deepEqual(await list(subject, { filter: { kinds: ["A1", "a1' OR '1'='1", "a1\\"] } }), []);
  for (const name of ["ids", "kinds", "priorities", "queues", "states"]) {
    assert.deepEqual(await list(subject, { filter: { [name]: [] } }), []);
  }
}

async function filtersTags(subject: Subject): Promise<void> {
  const odd = 'o"d,\\{}';
  const [a, b, c] = (await subject.add({ tags: ["one", "two"] }, { tags: ["two", odd] }, { tags: [] })).map(
    ({ id }) => id,
  );
  assert.ok(a && b && c);
  assert.deepEqual(await list(subject, { tagsAll: ["two"] }), [a, b]);
  assert.deepEqual(await list(subject, { tagsAll: ["two", "one", "two"] }), [a]);
  assert.deepEqual(await list(subject, { tagsAll: ["two", odd] }), [b]);
  assert.deepEqual(await list(subject, { tagsAny: ["one", odd, "nine"] }), [a, b]);
  assert.deepEqual(await list(subject, { tagsAny: ["one"], tagsAll: ["two"] }), [a]);
  assert.deepEqual(await list(subject, { tagsAll: ["TWO"] }), []);
  assert.deepEqual(await list(subject, { tagsAny: ["tw", "two "] }), []);
  assert.deepEqual(await list(subject, { tagsAny: [] }), []);
  assert.deepEqual(await list(subject, { tagsAll: [] }), [a, b, c]);
}

async function sorts(subject: Subject): Promise<void> {
  const ids = (await subject.add({}, {}, {}, {}, {}, {})).map(({ id }) => id);
  const seconds = [2, null, 1, 2, null, 0];
  for (const [index, second] of seconds.entries()) {
    const time = second === null ? "NULL" : subject.raw.time(longAgo().add({ seconds: second }));
    await subject.change(ids[index] ?? 0n, { attempted_at: time });
  }
  const ascending = [5, 2, 0, 3, 1, 4].map((index) => ids[index]);
  const order = { sortBy: "attemptedAt" } as const;
  assert.deepEqual(await list(subject, order), ascending);
  assert.deepEqual(await list(subject, { ...order, descending: true }), ascending.toReversed());
}

async function goesOnBehind(subject: Subject): Promise<void> {
  const scheduledAt = fromNow(60_000);
  const later = scheduledAt.add({ milliseconds: 1 });
  const ids = (await subject.add({ scheduledAt }, { scheduledAt }, { scheduledAt: later })).map(({ id }) => id);
  const [a, b, c] = ids;
  assert.ok(a && b && c);
  for (const sortBy of ["id", "scheduledAt"] as const) {
    const after: JobListPosition = { id: b, time: scheduledAt };
    for (const gone of [false, true]) {
      if (gone) await subject.jobs.delete({ id: b });
      assert.deepEqual(await list(subject, { sortBy, after }), [c]);
      assert.deepEqual(await list(subject, { sortBy, after, descending: true }), [a]);
    }
  }
  const between = { id: 999_999n, time: scheduledAt };
  assert.deepEqual(await list(subject, { sortBy: "scheduledAt", after: between }), [c]);
  assert.deepEqual(await list(subject, { sortBy: "id", after: { id: a, time: null } }), [c]);
}

async function listsByTheModel(subject: Subject): Promise<void> {
  const jobs = await manyJobs(subject);
  const wanted = fc.record({
    filter: fc.record({
      ids: some(...jobs.slice(0, 20).map(({ id }) => id)),
      kinds: some("k0", "k1", "none"),
      priorities: some(1, 2, 3, 4),
      queues: some("q0", "q1", "q2"),
      states: some(...STATES),
    }),
    sortBy: fc.constantFrom(...COLUMNS),
    descending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  const property = fc.asyncProperty(wanted, async (params) => {
    assert.deepEqual(await pageByPage(subject, params), model(jobs, params));
  });
  await fc.assert(property, { numRuns: RUNS });
}

function some<T>(...values: readonly T[]): fc.Arbitrary<T[] | undefined> {
  return fc.option(fc.subarray([...values]), { nil: undefined });
}

async function pageByPage(subject: Subject, params: Omit<ListJobsParams, "after">): Promise<bigint[]> {
  const { sortBy } = params;
  const met: bigint[] = [];
  let last: JobRecord | undefined;
  do {
    const after: JobListPosition | null =
      last === undefined ? null : { id: last.id, time: sortBy === "id" ? null : last[sortBy] };
    const page = await subject.jobs.list({ ...params, after });
    met.push(...page.map(({ id }) => id));
    last = page.at(-1);
  } while (last !== undefined);
  return met;
}

async function manyJobs(subject: Subject): Promise<JobRecord[]> {
  const numbers = Array.from({ length: 60 }, (_, index) => index);
  const jobs = await subject.add(
    ...numbers.map((n) => ({ kind: `k${n % 3}`, queue: `q${n % 4}`, priority: 1 + (n % 4), scheduledAt: at(n % 7) })),
  );
  for (const [n, { id }] of jobs.entries()) {
    const state = STATES[(n * 7) % STATES.length] ?? "available";
    await subject.change(id, {
      state: `'${state}'`,
      attempted_at: n % 3 === 0 ? "NULL" : subject.raw.time(at(n % 5)),
      finalized_at: isFinalizedState(state) ? subject.raw.time(at(n % 2)) : "NULL",
    });
  }
  return Promise.all(jobs.map(({ id }) => subject.read(id)));
}

function at(seconds: number): Temporal.Instant {
  return longAgo().add({ seconds });
}

function model(jobs: readonly JobRecord[], { filter, sortBy, descending }: Omit<ListJobsParams, "after">): bigint[] {
  const kept = jobs.filter(
    (job) =>
      matches(filter.ids, job.id) &&
      matches(filter.kinds, job.kind) &&
      matches(filter.priorities, job.priority) &&
      matches(filter.queues, job.queue) &&
      matches(filter.states, job.state),
  );
  const rank = (job: JobRecord): number => {
    if (sortBy === "id") return 0;
    return job[sortBy]?.epochMilliseconds ?? Infinity;
  };
  // Equal ranks may be infinite, whose difference is no number.
  const sorted = kept.toSorted((a, b) => (rank(a) === rank(b) ? byId(a, b) : rank(a) - rank(b)));
  return (descending ? sorted.toReversed() : sorted).map(({ id }) => id);
}

function matches<T>(values: readonly T[] | undefined, value: T): boolean {
  return values?.includes(value) ?? true;
}

function byId(a: JobRecord, b: JobRecord): number {
  return a.id < b.id ? -1 : 1;
}
