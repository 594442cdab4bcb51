/** What applications do to one job: cancel, retry, update; and what running attempts hear of it. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import { type ChangeJobResult, insertNotice, isFinalizedState, type JobRecord, type JobState } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { ascending, endOf, ERROR, fieldsOf, fromNow, longAgo, MASK, unique } from "../job-values.ts";
import type { Subject } from "../subject.ts";

const MARKER = insertNotice("marker");
const WAITING = ["available", "pending", "retryable", "scheduled"] as const;
const ENDED = ["cancelled", "completed", "discarded"] as const;

export function changeTests(test: ConformanceTest): void {
  for (const state of WAITING) {
    test(`cancelling a job that is ${state} ends it and tells every client`, (subject) => cancels(subject, state));
  }
  test("cancelling a running job marks it and tells every client", marks);
  test("cancelling again sets a new time; other metadata stays", marksAgain);
  for (const state of ENDED) {
    test(`cancelling a job that is ${state} changes nothing and tells nobody`, (subject) =>
      leavesEnded(subject, state));
  }
  test("a cancellation into a taken key changes nothing, tells nobody and names the holder", cancelsIntoConflict);
  test("a cancellation that is rolled back tells nobody", rollsCancellationBack);
  for (const state of ["pending", "retryable", "scheduled", ...ENDED] as const) {
    test(`a retry makes a job that is ${state} available now`, (subject) => retries(subject, state));
  }
  test("a retry of an available job moves it to now unless it is due already", movesAvailableJobs);
  test("a retry leaves a running job alone", leavesRunning);
  test("a retry adds an attempt when none is left", addsAnAttempt);
  test("a retry takes back the mark of a cancellation", takesTheMarkBack);
  test("a retry into a taken key changes nothing and names the holder", retriesIntoConflict);
  test("an update merges metadata at its top level, in any state", updates);
  test("what is missing is answered as missing", answersMissing);
  test("C14 a running attempt hears of a cancellation since its claim, and of no older one", hearsOfCancellations);
  test(
    "C14 a request to cancel that was made before the claim and written after it is heard",
    hearsOfLateCancellations,
  );
}

/** One job in `state`, that has been worked once if it may have been. */
async function jobIn(
  subject: Subject,
  state: JobState,
  more: Parameters<Subject["addOne"]>[0] = {},
): Promise<JobRecord> {
  const { id } = await subject.addOne({ metadata: '{"keep":{"a":1}}', scheduledAt: longAgo(), ...more });
  await subject.change(id, {
    state: `'${state}'`,
    finalized_at: isFinalizedState(state) ? subject.raw.time(longAgo()) : "NULL",
    scheduled_at: subject.raw.time(fromNow(3_600_000)),
  });
  return subject.read(id);
}

function done(result: ChangeJobResult): JobRecord {
  assert.ok(result.outcome === "done", result.outcome);
  return result.job;
}

async function cancels(subject: Subject, state: JobState): Promise<void> {
  const before = await jobIn(subject, state, { queue: 'q"1' });
  const inbox = await subject.listen("river_control", "river_insert");
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  const requestedAt = Temporal.Instant.from("2026-08-07T10:00:00.123456789Z");
  const answered = done(await subject.jobs.cancel({ id: before.id, requestedAt }, { now }));
  const metadata = '{"keep":{"a":1},"cancel_attempted_at":"2026-08-07T10:00:00.123456789Z"}';
  for (const job of [answered, await subject.read(before.id)]) {
    sameJson(job.metadata, metadata);
    const cancelled = { ...fieldsOf(before), state: "cancelled", finalizedAt: now, metadata };
    assert.deepEqual(plain({ ...fieldsOf(job), metadata }), plain(cancelled));
  }
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), [
    { topic: "river_control", payload: { action: "cancel", job_id: Number(before.id), queue: 'q"1' } },
  ]);
}

async function marks(subject: Subject): Promise<void> {
  await subject.addOne({ metadata: '{"keep":1}' });
  const before = await subject.claimOne();
  const inbox = await subject.listen("river_control", "river_insert");
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  const requestedAt = Temporal.Instant.from("2026-08-07T10:00:00.123456789Z");
  const answered = done(await subject.jobs.cancel({ id: before.id, requestedAt }, { now }));
  const metadata = '{"keep":1,"cancel_attempted_at":"2026-08-07T10:00:00.123456789Z"}';
  for (const job of [answered, await subject.read(before.id)]) {
    sameJson(job.metadata, metadata);
    assert.deepEqual(plain({ ...fieldsOf(job), metadata }), plain({ ...fieldsOf(before), metadata }));
  }
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), [
    { topic: "river_control", payload: { action: "cancel", job_id: Number(before.id), queue: "default" } },
  ]);
}

async function marksAgain(subject: Subject): Promise<void> {
  const { id } = await subject.addOne({ metadata: '{"cancel_attempted_at":null,"b":[1]}' });
  await subject.claimOne();
  for (const time of ["2026-08-07T09:00:00Z", "2026-08-07T10:00:00.5Z"]) {
    const requestedAt = Temporal.Instant.from(time);
    const job = done(await subject.jobs.cancel({ id, requestedAt }, { now: requestedAt }));
    sameJson(job.metadata, `{"cancel_attempted_at":"${time}","b":[1]}`);
  }
}

async function leavesEnded(subject: Subject, state: JobState): Promise<void> {
  const before = await jobIn(subject, state);
  const inbox = await subject.listen("river_control", "river_insert");
  const answered = done(await subject.jobs.cancel({ id: before.id, requestedAt: fromNow(0) }));
  for (const job of [answered, await subject.read(before.id)]) {
    assert.deepEqual(plain(fieldsOf(job)), plain(fieldsOf(before)));
  }
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}

async function cancelsIntoConflict(subject: Subject): Promise<void> {
  const key = unique(1, MASK.requiredAndCancelled);
  const before = await jobIn(subject, "retryable", key);
  const holder = await subject.addOne(key);
  const inbox = await subject.listen("river_control", "river_insert");
  const result = await subject.jobs.cancel({ id: before.id, requestedAt: fromNow(0) });
  assert.deepEqual(result, { outcome: "unique_conflict", holderId: holder.id });
  assert.deepEqual(plain(fieldsOf(await subject.read(before.id))), plain(fieldsOf(before)));
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}

async function rollsCancellationBack(subject: Subject): Promise<void> {
  const { id } = await subject.addOne();
  const inbox = await subject.listen("river_control", "river_insert");
  const { scope, rollback } = await subject.begin();
  assert.equal(done(await subject.jobs.cancel({ id, requestedAt: fromNow(0) }, { scope })).state, "cancelled");
  await rollback();
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
  assert.equal((await subject.read(id)).state, "available");
}

async function retries(subject: Subject, state: JobState): Promise<void> {
  const before = await jobIn(subject, state);
  const inbox = await subject.listen("river_control", "river_insert");
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  const answered = done(await subject.jobs.retry({ id: before.id }, { now }));
  const retried = { ...fieldsOf(before), state: "available", scheduledAt: now, finalizedAt: null };
  for (const job of [answered, await subject.read(before.id)]) assert.deepEqual(plain(fieldsOf(job)), plain(retried));
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}

async function movesAvailableJobs(subject: Subject): Promise<void> {
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  const [due, later] = await subject.add(
    { scheduledAt: now.subtract({ milliseconds: 1 }) },
    { scheduledAt: now.add({ seconds: 60 }) },
  );
  assert.ok(due && later);
  const answered = done(await subject.jobs.retry({ id: due.id }, { now }));
  for (const job of [answered, await subject.read(due.id)])
    assert.deepEqual(plain(fieldsOf(job)), plain(fieldsOf(due)));
  sameInstant(done(await subject.jobs.retry({ id: later.id }, { now })).scheduledAt, now);
}

async function leavesRunning(subject: Subject): Promise<void> {
  await subject.addOne();
  const before = await subject.claimOne();
  const answered = done(await subject.jobs.retry({ id: before.id }));
  for (const job of [answered, await subject.read(before.id)]) {
    assert.deepEqual(plain(fieldsOf(job)), plain(fieldsOf(before)));
  }
}

async function addsAnAttempt(subject: Subject): Promise<void> {
  await subject.add({ maxAttempts: 1 }, { maxAttempts: 2 });
  const jobs = await subject.claim();
  const settlements = jobs.map((job) => endOf(job, { state: "discarded", error: ERROR }));
  await subject.jobs.settle({ settlements, wantRows: false });
  for (const { id } of jobs) {
    const { attempt, maxAttempts, errors } = done(await subject.jobs.retry({ id }));
    assert.deepEqual([attempt, maxAttempts], [1, 2]);
    sameJson(errors, `[${ERROR}]`);
  }
}

async function takesTheMarkBack(subject: Subject): Promise<void> {
  const { id } = await subject.addOne({ metadata: '{"a":{"cancel_attempted_at":1},"b":2}' });
  await subject.jobs.cancel({ id, requestedAt: fromNow(0) });
  sameJson(done(await subject.jobs.retry({ id })).metadata, '{"a":{"cancel_attempted_at":1},"b":2}');
  const settled = await subject.settle(endOf(await subject.claimOne(), { state: "retryable" }));
  assert.equal(settled.state, "retryable");
}

async function retriesIntoConflict(subject: Subject): Promise<void> {
  const key = unique(1, MASK.required);
  const before = await jobIn(subject, "retryable", key);
  const holder = await subject.addOne(key);
  assert.deepEqual(await subject.jobs.retry({ id: before.id }), { outcome: "unique_conflict", holderId: holder.id });
  assert.deepEqual(plain(fieldsOf(await subject.read(before.id))), plain(fieldsOf(before)));
}

async function updates(subject: Subject): Promise<void> {
  for (const state of [...WAITING, ...ENDED, "running"] as const) {
    const before = await jobIn(subject, state);
    const merging = '{"keep":{"b":3},"z":null,"we\\"ird.key":9007199254740993}';
    const answered = await subject.jobs.update({ id: before.id, metadata: merging });
    assert.ok(answered);
    for (const job of [answered, await subject.read(before.id)]) {
      sameJson(job.metadata, merging);
      const { metadata } = job;
      assert.deepEqual(plain(fieldsOf(job)), plain({ ...fieldsOf(before), metadata }));
    }
  }
}

async function answersMissing(subject: Subject): Promise<void> {
  const id = 9_223_372_036_854_775_807n;
  assert.equal(await subject.jobs.get({ id }), null);
  assert.deepEqual(await subject.jobs.cancel({ id, requestedAt: fromNow(0) }), { outcome: "missing" });
  assert.deepEqual(await subject.jobs.retry({ id }), { outcome: "missing" });
  assert.equal(await subject.jobs.update({ id, metadata: "{}" }), null);
  assert.deepEqual(await subject.jobs.delete({ id }), { outcome: "missing" });
}

async function hearsOfCancellations(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(7);
  const at = jobs[0]?.attemptedAt;
  assert.ok(at);
  const marksOf = [
    at.toString(),
    at.add({ milliseconds: 1 }).toZonedDateTimeISO("+05:30").toString({ timeZoneName: "never" }),
    at.add({ hours: 1 }).toString(),
    at.subtract({ milliseconds: 1 }).toString(),
    "soon",
  ].map((text) => JSON.stringify(text));
  for (const [index, mark] of [...marksOf, "null"].entries()) {
    const metadata = subject.raw.json(`{"cancel_attempted_at":${mark}}`);
    await subject.change(jobs[index]?.id ?? 0n, { metadata });
  }
  const ids = jobs.map(({ id }) => id);
  const asked = await subject.jobs.cancelRequested({ clientId: "client-1", ids });
  assert.deepEqual(ascending(asked), ids.slice(0, 3));
  assert.deepEqual(await subject.jobs.cancelRequested({ clientId: "client-1", ids: ids.slice(1, 2) }), [ids[1]]);
  assert.deepEqual(await subject.jobs.cancelRequested({ clientId: "client-2", ids }), []);
  assert.deepEqual(await subject.jobs.cancelRequested({ clientId: "client-1", ids: [] }), []);
  await subject.settle(endOf(jobs[0] ?? assert.fail()));
  const left = await subject.jobs.cancelRequested({ clientId: "client-1", ids });
  assert.deepEqual(ascending(left), ids.slice(1, 3));
}

async function hearsOfLateCancellations(subject: Subject): Promise<void> {
  const { id } = await subject.addOne();
  const requestedAt = fromNow(-1_000);
  await subject.claimOne();
  await subject.jobs.cancel({ id, requestedAt });
  assert.deepEqual(await subject.jobs.cancelRequested({ clientId: "client-1", ids: [id] }), [id]);
}
