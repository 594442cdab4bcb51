/** Deleting jobs, alone and by a filter. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import type { DeleteJobsParams } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { fieldsOf, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";

export function deleteTests(test: ConformanceTest): void {
  test("a job that is not running is deleted and answered as it was", deletesOne);
  test("a running job is not deleted, neither alone nor among many", keepsRunning);
  test("many jobs are deleted by filter, lowest IDs first, up to the limit", deletesMany);
  test("an absent filter matches everything, an empty one nothing", readsFilters);
}

async function deletesOne(subject: Subject): Promise<void> {
  const states = ["available", "pending", "scheduled", "retryable", "cancelled", "completed", "discarded"];
  const jobs = await subject.add(...states.map(() => ({ metadata: '{"a":1}' })));
  for (const [index, job] of jobs.entries()) {
    const finalizedAt = index > 3 ? subject.raw.time(longAgo()) : "NULL";
    await subject.change(job.id, { state: `'${states[index]}'`, finalized_at: finalizedAt });
    const before = await subject.read(job.id);
    const result = await subject.jobs.delete({ id: job.id });
    assert.ok(result.outcome === "done");
    assert.deepEqual(plain(fieldsOf(result.job)), plain(fieldsOf(before)));
    assert.deepEqual(await subject.jobs.delete({ id: job.id }), { outcome: "missing" });
  }
  assert.equal(await subject.countJobs(), 0);
}

async function keepsRunning(subject: Subject): Promise<void> {
  await subject.add({}, {}, {});
  const { id } = await subject.claimOne();
  assert.deepEqual(await subject.jobs.delete({ id }), { outcome: "running" });
  for (const filter of [{ ids: [id] }, { states: ["running"] }] as const) {
    assert.deepEqual(await subject.jobs.deleteMany({ filter, limit: 100 }), []);
  }
  assert.equal((await subject.jobs.deleteMany({ filter: {}, limit: 100 })).length, 2);
  assert.equal((await subject.read(id)).state, "running");
}

async function deleteIds(subject: Subject, filter: DeleteJobsParams["filter"], limit = 100): Promise<bigint[]> {
  return (await subject.jobs.deleteMany({ filter, limit })).map(({ id }) => id);
}

async function deletesMany(subject: Subject): Promise<void> {
  const jobs = await subject.add(
    ...Array.from({ length: 12 }, (_, n) => ({ priority: 4 - (n % 4), kind: `k${n % 2}` })),
  );
  const ids = jobs.map(({ id }) => id);
  const filter = { ids: ids.slice(2).toReversed(), kinds: ["k0", "k9"] };
  assert.deepEqual(await deleteIds(subject, filter, 2), [ids[2], ids[4]]);
  assert.deepEqual(await deleteIds(subject, filter, 2), [ids[6], ids[8]]);
  assert.deepEqual(await deleteIds(subject, filter, 2), [ids[10]]);
  assert.deepEqual(await deleteIds(subject, { priorities: [3], queues: ["default"], states: ["available"] }, 1), [
    ids[1],
  ]);
  assert.equal(await subject.countJobs(), 6);
}

async function readsFilters(subject: Subject): Promise<void> {
  await subject.add({}, {});
  for (const name of ["ids", "kinds", "priorities", "queues", "states"]) {
    assert.deepEqual(await deleteIds(subject, { [name]: [] }), []);
  }
  assert.deepEqual(await deleteIds(subject, { kinds: ["'; DELETE FROM river_job; --"] }), []);
  assert.equal((await deleteIds(subject, {})).length, 2);
}
