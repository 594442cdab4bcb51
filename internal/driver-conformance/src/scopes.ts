/** Verbs in transactions: of the application's, which decides, and of River's, which is valid until its end. */
import assert from "node:assert/strict";
import type { Scope } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { endOf, ERROR, fromNow, longAgo, MASK, newJob, unique } from "./job-values.ts";
import { only } from "./only.ts";
import type { Subject } from "./subject.ts";

const INSERTION = { jobs: [newJob()], notices: [], durability: "default" } as const;

export function scopeTests(test: ConformanceTest): void {
  test("what runs in the application's transaction is seen in it, and by others after its commit", followsTheCommit);
  test("what runs in the application's transaction is gone after its rollback", followsTheRollback);
  test("verbs in one transaction see what the ones before them wrote", seesItself);
  test("a duplicate is found in the application's transaction", findsDuplicates);
  test("an attempt is completed in the application's transaction, exactly once", completesOnce);
  test("a job that is changed into a taken key is a conflict there as well", conflicts);
  test("a handle that is no open transaction is refused, and nothing is written", refusesHandles);
  test("River never ends the application's transaction", endsNothing);
}

async function followsTheCommit(subject: Subject): Promise<void> {
  const transaction = await subject.begin();
  const { scope } = transaction;
  const { job } = only(await subject.jobs.insert(INSERTION, { scope }));
  assert.equal((await subject.jobs.get({ id: job.id }, { scope }))?.id, job.id);
  assert.equal(await subject.jobs.get({ id: job.id }), null);
  await transaction.commit();
  assert.equal((await subject.read(job.id)).state, "available");
}

async function followsTheRollback(subject: Subject): Promise<void> {
  await subject.add({}, { state: "pending" }, { state: "pending" });
  const claimed = await subject.claimOne();
  const [pending, doomed] = (
    await subject.jobs.list({
      filter: { states: ["pending"] },
      sortBy: "id",
      descending: false,
      after: null,
      limit: 9,
    })
  ).map(({ id }) => id);
  assert.ok(pending && doomed);
  const transaction = await subject.begin();
  const { scope } = transaction;
  await subject.jobs.insert({ ...INSERTION, jobs: [newJob(), newJob(unique(1, MASK.default))] }, { scope });
  await subject.jobs.cancel({ id: pending, requestedAt: fromNow(0) }, { scope });
  await subject.jobs.update({ id: claimed.id, metadata: '{"a":1}' }, { scope });
  await subject.jobs.delete({ id: doomed }, { scope });
  await subject.settle(endOf(claimed), false, { scope });
  await subject.queues.keepAlive({ name: "q" }, { scope });
  await transaction.rollback();
  assert.deepEqual(await subject.states(claimed.id, pending, doomed), ["running", "pending", "pending"]);
  assert.equal(await subject.countJobs(), 3);
  assert.equal(await subject.queues.get({ name: "q" }), null);
}

async function seesItself(subject: Subject): Promise<void> {
  const { scope, commit } = await subject.begin();
  const { job } = only(
    await subject.jobs.insert({ ...INSERTION, jobs: [newJob({ scheduledAt: longAgo() })] }, { scope }),
  );
  const claimed = only(await subject.claim(9, "c", { scope }));
  assert.equal(claimed.id, job.id);
  await subject.settle(endOf(claimed, { state: "discarded", error: ERROR }), false, { scope });
  const list = { filter: { states: ["discarded"] }, sortBy: "id", descending: false, after: null, limit: 9 } as const;
  assert.equal(only(await subject.jobs.list(list, { scope })).id, job.id);
  assert.equal((await subject.jobs.retry({ id: job.id }, { scope })).outcome, "done");
  assert.equal(only(await subject.jobs.deleteMany({ filter: {}, limit: 9 }, { scope })).id, job.id);
  assert.equal(await subject.jobs.get({ id: job.id }, { scope }), null);
  await commit();
  assert.equal(await subject.countJobs(), 0);
}

async function findsDuplicates(subject: Subject): Promise<void> {
  const key = unique(1, MASK.default);
  const holder = await subject.addOne(key);
  const { scope, commit } = await subject.begin();
  const inserted = await subject.jobs.insert({ ...INSERTION, jobs: [newJob(), newJob(key)] }, { scope });
  assert.deepEqual(
    inserted.map(({ duplicate }) => duplicate),
    [false, true],
  );
  assert.equal(inserted[1]?.job.id, holder.id);
  await commit();
  assert.equal(await subject.countJobs(), 2);
}

async function completesOnce(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(3);
  const ends = [{}, { metadata: '{"output":1}' }, { deleteRow: true }];
  const settlements = jobs.map((job, index) => endOf(job, ends[index]));
  const { scope, commit } = await subject.begin();
  const settled = await subject.jobs.settle({ settlements, wantRows: true }, { scope });
  assert.ok(settled.every(({ outcome, job }) => outcome === "settled" && job?.state === "completed"));
  const ids = jobs.map(({ id }) => id);
  assert.deepEqual(await subject.states(...ids), ["running", "running", "running"]);
  await commit();
  assert.deepEqual(await subject.states(...ids), ["completed", "completed", "gone"]);
  const again = await subject.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    again.map(({ outcome }) => outcome),
    ["merged", "merged", "missing"],
  );
}

async function conflicts(subject: Subject): Promise<void> {
  const key = unique(1, MASK.requiredAndCancelled);
  const { id } = await subject.addOne(key);
  await subject.change(id, { state: "'retryable'" });
  const holder = await subject.addOne(key);
  for (const verb of ["retry", "cancel"] as const) {
    const { scope, rollback } = await subject.begin();
    const result = await subject.jobs[verb]({ id, requestedAt: fromNow(0) }, { scope });
    assert.ok(result.outcome === "unique_conflict");
    assert.ok(result.holderId === holder.id || result.holderId === null);
    await rollback();
  }
  assert.equal((await subject.read(id)).state, "retryable");
}

async function refusesHandles(subject: Subject): Promise<void> {
  for (const { what, tx, code } of await subject.unusableHandles()) {
    const scope: Scope<unknown> = { owner: "caller", tx };
    await assert.rejects(subject.jobs.insert(INSERTION, { scope }), { code }, what);
    await assert.rejects(subject.jobs.get({ id: 1n }, { scope }), { code }, what);
    await assert.rejects(subject.queues.keepAlive({ name: "q" }, { scope }), { code }, what);
  }
  const forged: Scope<unknown> = { owner: "river", handle: {} };
  await assert.rejects(subject.jobs.insert(INSERTION, { scope: forged }), { code: "backend_mismatch" });
  await assert.rejects(subject.jobs.get({ id: 1n }, { scope: forged }), { code: "backend_mismatch" });
  assert.equal(await subject.countJobs(), 0);
}

async function endsNothing(subject: Subject): Promise<void> {
  const { scope, rollback } = await subject.begin();
  const many = { ...INSERTION, jobs: Array.from({ length: 6_000 }, () => newJob()), durability: "relaxed" } as const;
  await subject.jobs.insert(many, { scope });
  await subject.settle(endOf(only(await subject.claim(1, "c", { scope }))), true, { scope });
  await subject.queues.pause({ name: "*" }, { scope });
  await subject.extension.run([{ text: "SELECT 1 AS one", values: [] }], { scope });
  await rollback();
  assert.equal(await subject.countJobs(), 0);
}
