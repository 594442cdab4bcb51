/** Inserting: order, atomicity, notices, defaults, and very many jobs at once. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import { insertNotice, type InsertJobsParams, type JobToInsert } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { databaseError } from "../database-error.ts";
import { sameJson } from "../exact-json.ts";
import { fieldsOf, fromNow, newJob, unique } from "../job-values.ts";
import { only } from "../only.ts";
import type { Subject } from "../subject.ts";

const MARKER = insertNotice("marker");

/** A job that no database takes: its priority is out of range. */
const BAD: Partial<JobToInsert> = { priority: 9 };

function insertion(...jobs: readonly Partial<JobToInsert>[]): InsertJobsParams {
  return { jobs: jobs.map(newJob), notices: [], durability: "default" };
}

export function insertTests(test: ConformanceTest): void {
  test("an inserted job is answered as it is stored", answersAsStored);
  test("a job without a time is due at its insertion, by the call's clock if there is one", defaultsItsTime);
  test("answers come in the order of the request, and IDs grow with it", keepsTheOrder);
  test("an insertion and its notices are one: both or neither", isAtomic);
  test("notices of an insertion are delivered at any durability", delivers);
  test("an insertion of nothing answers with nothing and asks nobody", insertsNothing);
  test("insertions in flight together get their own rows, or fail alone", keepsCallsApart);
  test("C07 40,000 jobs are inserted in order, or none of them", insertsManyJobs);
}

async function answersAsStored(subject: Subject): Promise<void> {
  const wanted = {
    kind: "mail",
    queue: "q1",
    state: "scheduled",
    priority: 3,
    maxAttempts: 7,
    args: '{"a":{"b":[1,"x",null,true]}}',
    metadata: '{"m":1.5}',
    tags: ["one", "two", "one"],
    scheduledAt: fromNow(60_000),
    ...unique(1, 245),
  } as const;
  const job = await subject.addOne(wanted);
  const stored = await subject.read(job.id);
  for (const record of [job, stored]) {
    sameJson(record.args, wanted.args);
    sameJson(record.metadata, wanted.metadata);
    const fields = { ...fieldsOf(record), args: wanted.args, metadata: wanted.metadata };
    const untouched = { attempt: 0, errors: "[]", attemptedBy: [], attemptedAt: null, finalizedAt: null };
    assert.deepEqual(plain(fields), plain({ ...wanted, id: job.id, createdAt: stored.createdAt, ...untouched }));
  }
}

async function defaultsItsTime(subject: Subject): Promise<void> {
  const job = await subject.addOne();
  sameInstant(job.scheduledAt, job.createdAt);
  const now = Temporal.Instant.from("2001-02-03T04:05:06.789Z");
  const timed = only(await subject.jobs.insert(insertion({}), { now })).job;
  for (const record of [timed, await subject.read(timed.id)]) {
    sameInstant(record.scheduledAt, now);
    sameInstant(record.createdAt, now);
  }
}

async function keepsTheOrder(subject: Subject): Promise<void> {
  const jobs = Array.from({ length: 50 }, (_, index) => ({
    args: `{"n":${index}}`,
    kind: `k${index}`,
    priority: 1 + (index % 4),
    scheduledAt: fromNow(-index * 1_000),
  }));
  const inserted = await subject.add(...jobs);
  assert.deepEqual(
    inserted.map(({ kind }) => kind),
    jobs.map(({ kind }) => kind),
  );
  assert.ok(inserted.every(({ id }, index) => index === 0 || id > (inserted[index - 1]?.id ?? id)));
  const stored = await Promise.all(inserted.map(({ id }) => subject.read(id)));
  assert.deepEqual(
    stored.map(({ kind }) => kind),
    jobs.map(({ kind }) => kind),
  );
}

async function isAtomic(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  for (const jobs of [[BAD], [{}, BAD], [unique(1, 245), BAD], [BAD, {}, {}]]) {
    const params = { ...insertion(...jobs), notices: [insertNotice("never")] };
    await assert.rejects(
      subject.jobs.insert(params),
      databaseError(subject, { operation: "jobs.insert", retryable: false, rowCaused: true }),
    );
  }
  assert.equal(await subject.countJobs(), 0);
  await subject.jobs.insert({ ...insertion(unique(1, 245)), notices: [insertNotice("a"), insertNotice("b")] });
  await subject.send(MARKER);
  assert.deepEqual(
    (await inbox.until(MARKER)).map(({ payload }) => payload),
    [{ queue: "a" }, { queue: "b" }],
  );
}

async function delivers(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  for (const durability of ["default", "relaxed"] as const) {
    await subject.jobs.insert({ ...insertion({}), notices: [insertNotice(durability)], durability });
    await subject.jobs.insert({ ...insertion(unique(1, 245)), notices: [insertNotice(`u ${durability}`)], durability });
  }
  await subject.send(MARKER);
  assert.deepEqual(
    (await inbox.until(MARKER)).map(({ payload }) => payload),
    ["default", "u default", "relaxed", "u relaxed"].map((queue) => ({ queue })),
  );
  assert.equal(await subject.countJobs(), 3);
}

async function insertsNothing(subject: Subject): Promise<void> {
  assert.deepEqual(await subject.jobs.insert(insertion()), []);
  // No transaction is looked for either: this one would be refused.
  const scope = { owner: "river", handle: {} } as const;
  assert.deepEqual(await subject.jobs.insert(insertion(), { scope }), []);
}

async function keepsCallsApart(subject: Subject): Promise<void> {
  const requests = Array.from({ length: 40 }, (_, index) =>
    index % 10 === 7 ? [{}, BAD] : [{ args: `{"n":${index}}` }, { args: `{"m":${index}}`, ...unique(index, 245) }],
  );
  const answers = await Promise.allSettled(requests.map((jobs) => subject.add(...jobs)));
  for (const [index, answer] of answers.entries()) {
    if (index % 10 === 7) {
      assert.equal(answer.status, "rejected");
      continue;
    }
    assert.ok(answer.status === "fulfilled");
    const stored = await Promise.all(answer.value.map(({ id }) => subject.read(id)));
    for (const [at, job] of stored.entries()) sameJson(job.args, requests[index]?.[at]?.args ?? "");
  }
  assert.equal(await subject.countJobs(), 72);
}

async function insertsManyJobs(subject: Subject): Promise<void> {
  const jobs = Array.from({ length: 40_000 }, (_, index) =>
    newJob({ args: `{"n":${index}}`, kind: index % 2 === 0 ? "even" : "odd" }),
  );
  const inserted = await subject.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.equal(inserted.length, jobs.length);
  assert.ok(inserted.every(({ job, duplicate }, index) => !duplicate && job.kind === jobs[index]?.kind));
  const rows = await subject.raw.query("SELECT id, kind FROM river_job ORDER BY id");
  assert.equal(rows.length, jobs.length);
  assert.ok(rows.every(({ id }, index) => BigInt(id as string | number) === inserted[index]?.job.id));
  assert.ok(rows.every(({ kind }, index) => kind === jobs[index]?.kind));
  for (const index of [0, 4_999, 5_000, 39_999]) {
    sameJson((await subject.read(inserted[index]?.job.id ?? 0n)).args, `{"n":${index}}`);
  }
  const spoiled = { jobs: jobs.with(39_999, newJob(BAD)), notices: [], durability: "relaxed" } as const;
  await assert.rejects(subject.jobs.insert(spoiled), { code: "database", retryable: false });
  assert.equal(await subject.countJobs(), 40_000);
}
