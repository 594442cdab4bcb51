/** The leader's other work on jobs: finding and rescuing stuck ones, and deleting old ones. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import type { DeleteFinalizedParams, JobRecord, LeaderTerm, Rescue } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, ERROR, fieldsOf, fromNow, longAgo, MASK, unique } from "../job-values.ts";
import type { Subject } from "../subject.ts";

export function maintainTests(test: ConformanceTest): void {
  test("stuck jobs are listed page by page, by ID", listsStuckJobs);
  test("a rescue writes state, times, error and metadata, and nothing else", rescues);
  test("a rescued job may end instead of being retried", endsRescuedJobs);
  test("a row that left running or was claimed again since is not rescued", guardsRescues);
  test("A.7 a rescue of a row that ended meanwhile and whose key was taken changes nothing", rescuesIntoConflict);
  test("a rescue of nothing", rescuesNothing);
  test("finalized rows are deleted by the age of each state, lowest IDs first", deletesByAge);
  test("a state without an age is kept for ever", keepsStates);
  test("A.7 rows that stay do not use up the limit of a deletion", deletesBehindOthers);
  test("rescues and deletions under a term that is over change nothing", isFenced);
}

function rescueOf(id: bigint, overrides: Partial<Rescue> = {}): Rescue {
  const metadata = '{"river:rescue_count":1}';
  return { id, state: "retryable", finalizedAt: null, scheduledAt: null, error: ERROR, metadata, ...overrides };
}

/** Running jobs, claimed long ago. */
async function stuckJobs(subject: Subject, count: number): Promise<JobRecord[]> {
  const jobs = await subject.addClaimed(count);
  for (const { id } of jobs) await subject.change(id, { attempted_at: subject.raw.time(longAgo()) });
  return Promise.all(jobs.map(({ id }) => subject.read(id)));
}

async function listsStuckJobs(subject: Subject): Promise<void> {
  const ids = (await stuckJobs(subject, 5)).map(({ id }) => id);
  const [fresh] = await subject.addClaimed(1);
  await subject.change(ids[3] ?? 0n, { state: "'retryable'" });
  const list = async (horizon: Temporal.Instant, afterId: bigint, limit: number): Promise<bigint[]> =>
    (await subject.jobs.listStuck({ horizon, afterId, limit })).map(({ id }) => id);
  const horizon = fromNow(-60_000);
  assert.deepEqual(await list(horizon, 0n, 2), [ids[0], ids[1]]);
  assert.deepEqual(await list(horizon, ids[1] ?? 0n, 2), [ids[2], ids[4]]);
  assert.deepEqual(await list(horizon, ids[4] ?? 0n, 2), []);
  assert.deepEqual(await list(longAgo(), 0n, 9), []);
  assert.deepEqual(
    await list(longAgo().add({ milliseconds: 1 }), 0n, 9),
    [0, 1, 2, 4].map((index) => ids[index]),
  );
  assert.deepEqual(await list(fromNow(60_000), ids[4] ?? 0n, 9), [fresh?.id]);
}

async function rescues(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const jobs = await stuckJobs(subject, 2);
  const [a, b] = jobs;
  assert.ok(a && b);
  await subject.change(b.id, {
    metadata: subject.raw.json('{"river:rescue_count":"5","keep":{"x":1}}'),
    unique_states: "NULL",
  });
  const scheduledAt = fromNow(60_000);
  const wanted = [rescueOf(b.id, { scheduledAt }), rescueOf(a.id, { metadata: '{"river:rescue_count":1.5,"z":null}' })];
  assert.equal(await subject.jobs.rescue({ term, horizon: fromNow(-60_000), rescues: wanted }), 2);
  const [storedA, storedB] = [await subject.read(a.id), await subject.read(b.id)];
  sameJson(storedA.metadata, '{"river:rescue_count":1.5,"z":null}');
  sameJson(storedB.metadata, '{"river:rescue_count":1,"keep":{"x":1}}');
  const expected = [
    { ...fieldsOf(a), state: "retryable", errors: storedA.errors, metadata: storedA.metadata },
    { ...fieldsOf(b), state: "retryable", scheduledAt, errors: storedB.errors, metadata: storedB.metadata },
  ];
  for (const [index, stored] of [storedA, storedB].entries()) {
    sameJson(stored.errors, `[${ERROR}]`);
    assert.deepEqual(plain(fieldsOf(stored)), plain(expected[index]));
  }
}

async function endsRescuedJobs(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const finalizedAt = Temporal.Instant.from("2026-08-07T10:00:00.5Z");
  const jobs = await stuckJobs(subject, 2);
  const states = ["cancelled", "discarded"] as const;
  const wanted = jobs.map(({ id }, index) => rescueOf(id, { state: states[index] ?? "retryable", finalizedAt }));
  assert.equal(await subject.jobs.rescue({ term, horizon: fromNow(0), rescues: wanted }), 2);
  for (const [index, job] of jobs.entries()) {
    const { errors, metadata, ...stored } = fieldsOf(await subject.read(job.id));
    sameJson(errors, `[${ERROR}]`);
    const rescued = { ...fieldsOf(job), state: states[index], finalizedAt, errors, metadata };
    assert.deepEqual(plain({ ...stored, errors, metadata }), plain(rescued));
  }
}

async function guardsRescues(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const horizon = fromNow(-60_000);
  const jobs = await stuckJobs(subject, 4);
  const [ended, claimedAgain, cancelled, stuck] = jobs;
  assert.ok(ended && claimedAgain && cancelled && stuck);
  await subject.settle(endOf(ended));
  await subject.change(claimedAgain.id, { attempted_at: subject.raw.time(horizon), attempt: "2" });
  await subject.change(cancelled.id, { state: "'cancelled'", finalized_at: subject.raw.time(longAgo()) });
  const before = await Promise.all(jobs.map(({ id }) => subject.read(id)));
  const wanted = [...jobs.map(({ id }) => rescueOf(id)), rescueOf(9_999_999n)];
  assert.equal(await subject.jobs.rescue({ term, horizon, rescues: wanted }), 1);
  for (const job of before.slice(0, 3)) {
    assert.deepEqual(plain(fieldsOf(await subject.read(job.id))), plain(fieldsOf(job)));
  }
  assert.equal((await subject.read(stuck.id)).state, "retryable");
}

async function rescuesIntoConflict(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const key = unique(1, MASK.default);
  const { id } = await subject.addOne(key);
  const job = await subject.claimOne();
  await subject.change(id, { attempted_at: subject.raw.time(longAgo()) });
  await subject.settle(endOf(job, { state: "discarded" }));
  await subject.addOne(key);
  const [other] = await stuckJobs(subject, 1);
  assert.ok(other);
  const wanted = [rescueOf(id), rescueOf(other.id)];
  assert.equal(await subject.jobs.rescue({ term, horizon: fromNow(-60_000), rescues: wanted }), 1);
  assert.equal((await subject.read(id)).state, "discarded");
}

async function rescuesNothing(subject: Subject): Promise<void> {
  const term = await subject.lead();
  assert.equal(await subject.jobs.rescue({ term, horizon: fromNow(0), rescues: [] }), 0);
}

/** One job for each state and year, as `[state, year]`, by ID. */
async function finalizedJobs(subject: Subject, ends: readonly (readonly [string, number])[]): Promise<bigint[]> {
  const jobs = await subject.add(...ends.map(() => ({})));
  for (const [index, [state, year]] of ends.entries()) {
    const time = Temporal.Instant.from(`${year}-01-01T00:00:00Z`);
    await subject.change(jobs[index]?.id ?? 0n, { state: `'${state}'`, finalized_at: subject.raw.time(time) });
  }
  return jobs.map(({ id }) => id);
}

function deletion(term: LeaderTerm, overrides: Partial<DeleteFinalizedParams> = {}): DeleteFinalizedParams {
  return { term, cancelledBefore: null, completedBefore: null, discardedBefore: null, limit: 100, ...overrides };
}

async function deletesByAge(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const states = ["cancelled", "completed", "discarded"] as const;
  const ends = states.flatMap((state) => [2020, 2022, 2024].map((year) => [state, year] as const));
  const ids = await finalizedJobs(subject, ends);
  const { id: unfinished } = await subject.addOne();
  const params = deletion(term, {
    cancelledBefore: Temporal.Instant.from("2021-01-01T00:00:00Z"),
    completedBefore: Temporal.Instant.from("2023-01-01T00:00:00Z"),
    discardedBefore: Temporal.Instant.from("2024-01-01T00:00:00Z"),
    limit: 3,
  });
  assert.equal(await subject.jobs.deleteFinalized(params), 3);
  const left = async (): Promise<number[]> => {
    const present = await subject.states(...ids);
    return present.flatMap((state, index) => (state === "gone" ? [] : [index]));
  };
  assert.deepEqual(await left(), [1, 2, 5, 6, 7, 8]);
  assert.equal(await subject.jobs.deleteFinalized(params), 2);
  assert.deepEqual(await left(), [1, 2, 5, 8]);
  assert.equal(await subject.jobs.deleteFinalized(params), 0);
  assert.equal((await subject.read(unfinished)).state, "available");
}

async function keepsStates(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const ids = await finalizedJobs(subject, [
    ["cancelled", 2020],
    ["completed", 2020],
    ["discarded", 2020],
  ]);
  assert.equal(await subject.jobs.deleteFinalized(deletion(term)), 0);
  assert.equal(await subject.jobs.deleteFinalized(deletion(term, { completedBefore: fromNow(0) })), 1);
  assert.deepEqual(await subject.states(...ids), ["cancelled", "gone", "discarded"]);
  assert.equal(await subject.jobs.deleteFinalized(deletion(term, { discardedBefore: fromNow(0) })), 1);
  assert.deepEqual(await subject.states(...ids), ["cancelled", "gone", "gone"]);
}

async function deletesBehindOthers(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const kept = Array.from({ length: 3 }, () => ["discarded", 2020] as const);
  const old = Array.from({ length: 3 }, () => ["completed", 2020] as const);
  const ids = await finalizedJobs(subject, [...kept, ...old]);
  const params = deletion(term, { completedBefore: fromNow(0), limit: 3 });
  assert.equal(await subject.jobs.deleteFinalized(params), 3);
  assert.deepEqual(await subject.states(...ids), ["discarded", "discarded", "discarded", "gone", "gone", "gone"]);
}

async function isFenced(subject: Subject): Promise<void> {
  const over = await subject.lead();
  const [stuck] = await stuckJobs(subject, 1);
  const [old] = await finalizedJobs(subject, [["completed", 2020]]);
  assert.ok(stuck && old);
  const wanted = { horizon: fromNow(0), rescues: [rescueOf(stuck.id)] };
  const assertNothing = async (term: LeaderTerm): Promise<void> => {
    assert.equal(await subject.jobs.rescue({ term, ...wanted }), null);
    assert.equal(await subject.jobs.deleteFinalized(deletion(term, { completedBefore: fromNow(0) })), null);
  };
  await assertNothing({ ...over, electedAt: over.electedAt.subtract({ milliseconds: 1 }) });
  await assertNothing({ ...over, leaderId: "client-2" });
  await subject.leader.resign({ term: over });
  await assertNothing(over);
  const next = await subject.lead("client-2");
  await assertNothing(over);
  await subject.leader.resign({ term: next });
  const expired = await subject.leader.elect({ clientId: "client-3", ttlMs: 15_000 }, { now: longAgo() });
  await assertNothing(expired ?? assert.fail());
  assert.deepEqual(await subject.states(stuck.id, old), ["running", "completed"]);
}
