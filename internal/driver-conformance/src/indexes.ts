/** Indexes: which exist, and rebuilding one. */
import assert from "node:assert/strict";
import type { ConformanceTest } from "./conformance-test.ts";
import type { Subject } from "./subject.ts";

function never(): AbortSignal {
  return new AbortController().signal;
}

const NAMES = ["river_job_unique_idx", "none", "river_job_kind"];

export function indexTests(test: ConformanceTest): void {
  test("of given names those of existing indexes are answered", answersExisting);
  test("an index is rebuilt, with and without a limit, while jobs are worked", rebuilds);
  test("a rebuild of what is no index fails, and one that was aborted before does not begin", refuses);
  test("an index without left-overs has none to drop", dropsNothing);
}

async function answersExisting(subject: Subject): Promise<void> {
  const existing = await subject.indexes.existing({ names: NAMES });
  assert.deepEqual(existing.toSorted(), ["river_job_kind", "river_job_unique_idx"]);
  assert.deepEqual(await subject.indexes.existing({ names: [] }), []);
  assert.deepEqual(await subject.indexes.existing({ names: ["river_job", "RIVER_JOB_KIND"] }), []);
}

async function rebuilds(subject: Subject): Promise<void> {
  const { id } = await subject.addOne();
  for (const timeoutMs of [null, 30_000]) {
    const rebuilding = subject.indexes.rebuild({ index: "river_job_kind", timeoutMs, signal: never() });
    await Promise.all([rebuilding, subject.add({}, {})]);
  }
  assert.deepEqual(await subject.indexes.artifacts({ index: "river_job_kind" }), []);
  assert.equal((await subject.claimOne()).id, id);
  assert.equal((await subject.indexes.existing({ names: ["river_job_kind"] })).length, 1);
}

async function refuses(subject: Subject): Promise<void> {
  const rebuild = (index: string, signal: AbortSignal): Promise<void> =>
    subject.indexes.rebuild({ index, timeoutMs: 30_000, signal });
  await assert.rejects(rebuild("none", never()), { code: "database", retryable: false });
  await assert.rejects(rebuild('x"; DROP TABLE river_job; --', never()), { code: "database", retryable: false });
  const reason = new RangeError("enough");
  await assert.rejects(rebuild("river_job_kind", AbortSignal.abort(reason)), reason);
  await subject.addOne();
}

async function dropsNothing(subject: Subject): Promise<void> {
  assert.deepEqual(await subject.indexes.artifacts({ index: "river_job_kind" }), []);
  await subject.indexes.dropArtifacts({ index: "river_job_kind", timeoutMs: 30_000 });
  assert.deepEqual(await subject.indexes.artifacts({ index: "none" }), []);
  assert.equal((await subject.indexes.existing({ names: ["river_job_kind"] })).length, 1);
}
