/** Who may write the end of an attempt, and what a request to cancel makes of it. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import type { JobRecord, Settlement } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, ERROR, fieldsOf, fromNow, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";

/** Ends that drivers may write by different statements. */
const ENDS: Readonly<Record<string, Partial<Settlement>>> = {
  "a plain completion": {},
  "a completion with output": { metadata: '{"output":1}' },
  "a completion that deletes": { deleteRow: true },
  "a failure": { state: "retryable", error: ERROR, metadata: '{"output":1}' },
};

const RUNS_AGAIN = ["available", "retryable", "scheduled"] as const;
const ENDS_FOR_GOOD = ["cancelled", "completed", "discarded"] as const;

export function settleOwnershipTests(test: ConformanceTest): void {
  for (const [what, end] of Object.entries(ENDS)) {
    test(`${what} of a row claimed again is superseded`, (subject) => isSuperseded(subject, end));
    test(`${what} of a row that left running merges its metadata and nothing else`, (subject) => merges(subject, end));
    test(`${what} of a deleted row is missing`, (subject) => isMissing(subject, end));
    test(`${what} happens once`, (subject) => happensOnce(subject, end));
  }
  test("C18 one batch: its own outcome for each row, whatever happened to the neighbours", keepsRowsApart);
  for (const state of RUNS_AGAIN) {
    test(`a row with a cancel mark is cancelled where it would become ${state}`, (subject) =>
      overrides(subject, state));
  }
  for (const state of ENDS_FOR_GOOD) {
    test(`a cancel mark does not hinder a row from becoming ${state}`, (subject) => endsAsWanted(subject, state));
  }
  test("a cancel mark deep in metadata, or in the updates alone, is none", needsARealMark);
}

/** Rows that a later claim owns: by another number, by another client, running or ended since. */
async function isSuperseded(subject: Subject, end: Partial<Settlement>): Promise<void> {
  const jobs = await subject.addClaimed(4);
  const [a, b, c, d] = jobs.map(({ id }) => id);
  assert.ok(a && b && c && d);
  const finalizedAt = subject.raw.time(longAgo());
  await subject.change(a, { attempt: "2" });
  await subject.change(b, { attempted_by: subject.raw.texts(["client-1", "client-2"]) });
  await subject.change(c, { attempt: "2", state: "'completed'", finalized_at: finalizedAt });
  await subject.change(d, { attempted_by: subject.raw.texts(["client-1", "client-2"]), state: "'available'" });
  const before = await Promise.all(jobs.map(({ id }) => subject.read(id)));
  for (const wantRows of [false, true]) {
    const settlements = jobs.map((job) => endOf(job, end));
    const settled = await subject.jobs.settle({ settlements, wantRows });
    assert.deepEqual(
      settled.map(({ id, outcome, state }) => [id, outcome, state]),
      before.map(({ id, state }) => [id, "superseded", state]),
    );
  }
  await assertUnchanged(subject, before);
}

async function assertUnchanged(subject: Subject, before: readonly JobRecord[]): Promise<void> {
  for (const job of before) assert.deepEqual(plain(fieldsOf(await subject.read(job.id))), plain(fieldsOf(job)));
}

async function merges(subject: Subject, end: Partial<Settlement>): Promise<void> {
  const states = ["available", "retryable", "scheduled", "pending", ...ENDS_FOR_GOOD];
  await subject.add(...states.map(() => ({ metadata: '{"m":1}' })));
  const jobs = await subject.claim();
  for (const [index, state] of states.entries()) {
    const finalizedAt = index > 3 ? subject.raw.time(longAgo()) : "NULL";
    await subject.change(jobs[index]?.id ?? 0n, { state: `'${state}'`, finalized_at: finalizedAt });
  }
  const before = await Promise.all(jobs.map(({ id }) => subject.read(id)));
  const settlements = jobs.map((job) => endOf(job, end));
  const settled = await subject.jobs.settle({ settlements, wantRows: true });
  assert.deepEqual(
    settled.map(({ outcome, state }) => [outcome, state]),
    states.map((state) => ["merged", state]),
  );
  const metadata = end.metadata === undefined ? '{"m":1}' : '{"m":1,"output":1}';
  for (const [index, job] of before.entries()) {
    const stored = await subject.read(job.id);
    sameJson(stored.metadata, metadata);
    sameJson(settled[index]?.job?.metadata, metadata);
    assert.deepEqual(plain({ ...fieldsOf(stored), metadata }), plain({ ...fieldsOf(job), metadata }));
  }
}

async function isMissing(subject: Subject, end: Partial<Settlement>): Promise<void> {
  const [a, b] = await subject.addClaimed(2);
  assert.ok(a && b);
  await subject.raw.query(`DELETE FROM river_job WHERE id = ${a.id}`);
  for (const wantRows of [false, true]) {
    const settled = await subject.settle(endOf(a, end), wantRows);
    assert.deepEqual(plain(settled), plain({ id: a.id, outcome: "missing", state: null, job: null }));
  }
  const { outcome } = await subject.settle(endOf(b, end));
  assert.equal(outcome, "settled");
}

async function happensOnce(subject: Subject, end: Partial<Settlement>): Promise<void> {
  const [job] = await subject.addClaimed(1);
  assert.ok(job);
  const settle = async (): Promise<string> => {
    const { outcome } = await subject.settle(endOf(job, end));
    // One of the other calls may hold the row at that moment.
    return outcome === "locked" ? settle() : outcome;
  };
  const outcomes = await Promise.all([settle(), settle(), settle()]);
  const repeated = end.deleteRow === true ? "missing" : "merged";
  assert.deepEqual(outcomes.toSorted(), [repeated, repeated, "settled"].toSorted());
  if (end.error !== undefined) sameJson((await subject.read(job.id)).errors, `[${ERROR}]`);
}

async function keepsRowsApart(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(6);
  const [, gone, cancelled, again] = jobs.map(({ id }) => id);
  assert.ok(gone && cancelled && again);
  await subject.raw.query(`DELETE FROM river_job WHERE id = ${gone}`);
  await subject.change(cancelled, { state: "'cancelled'", finalized_at: subject.raw.time(longAgo()) });
  await subject.change(again, { attempt: "7" });
  const settlements = jobs.map((job, index) => endOf(job, index === 5 ? {} : { metadata: `{"output":${index}}` }));
  const settled = await subject.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    settled.map(({ id, outcome, state }) => [id, outcome, state]),
    [
      [jobs[0]?.id, "settled", "completed"],
      [gone, "missing", null],
      [cancelled, "merged", "cancelled"],
      [again, "superseded", "running"],
      [jobs[4]?.id, "settled", "completed"],
      [jobs[5]?.id, "settled", "completed"],
    ],
  );
  sameJson((await subject.read(cancelled)).metadata, '{"output":2}');
  sameJson((await subject.read(again)).metadata, "{}");
  sameJson((await subject.read(jobs[4]?.id ?? 0n)).metadata, '{"output":4}');
}

async function markedAndClaimed(subject: Subject, mark: string): Promise<JobRecord> {
  const { id } = await subject.addOne({ scheduledAt: longAgo() });
  const job = await subject.claimOne();
  await subject.change(id, { metadata: subject.raw.json(`{"cancel_attempted_at":${mark}}`) });
  return job;
}

async function overrides(subject: Subject, state: Settlement["state"]): Promise<void> {
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  for (const mark of ["null", '"2026-08-07T09:00:00Z"', "false"]) {
    for (const error of [ERROR, null]) {
      const job = await markedAndClaimed(subject, mark);
      const change = { state, newAttempt: 0, scheduledAt: fromNow(60_000), error, metadata: '{"output":1}' };
      const settled = await subject.settle(endOf(job, change), true, { now });
      assert.deepEqual([settled.outcome, settled.state], ["settled", "cancelled"]);
      const stored = await subject.read(job.id);
      assert.deepEqual([stored.state, stored.attempt], ["cancelled", 1]);
      sameInstant(stored.finalizedAt, now);
      sameInstant(stored.scheduledAt, job.scheduledAt);
      sameJson(stored.errors, error === null ? "[]" : `[${error}]`);
      sameJson(stored.metadata, `{"cancel_attempted_at":${mark},"output":1}`);
    }
  }
}

async function endsAsWanted(subject: Subject, state: Settlement["state"]): Promise<void> {
  for (const overridden of [{}, { error: ERROR, metadata: '{"output":1}' }]) {
    const job = await markedAndClaimed(subject, '"2026-08-07T09:00:00Z"');
    const end = endOf(job, { state, ...overridden });
    assert.equal((await subject.settle(end)).state, state);
    const stored = await subject.read(job.id);
    assert.equal(stored.state, state);
    sameInstant(stored.finalizedAt, end.finalizedAt ?? "");
  }
}

async function needsARealMark(subject: Subject): Promise<void> {
  const { id } = await subject.addOne({ metadata: '{"a":{"cancel_attempted_at":1},"cancel_attempted_at.x":2}' });
  const job = await subject.claimOne();
  const metadata = '{"cancel_attempted_at":"2026-08-07T09:00:00Z"}';
  const settled = await subject.settle(endOf(job, { state: "retryable", metadata, scheduledAt: longAgo() }));
  assert.deepEqual([settled.state, (await subject.read(id)).state], ["retryable", "retryable"]);
}
