/** What the end of an attempt writes: state, attempt, times, error, metadata, or nothing but a deletion. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import type { ConformanceTest } from "../conformance-test.ts";
import { databaseError } from "../database-error.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, ERROR, fieldsOf, fromNow, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";

export function settleTests(test: ConformanceTest): void {
  test("plain completions are written in bulk, and answered in the order of the request", completesInBulk);
  test("each completion of a batch keeps its own time", keepsEachTime);
  test("a settlement answers with the row as it is stored when it is wanted", answersWithRows);
  test("a settlement writes state, attempt, times, error and metadata, and nothing else", writesAll);
  test("what a settlement does not name stays", leavesTheRest);
  test("keys of metadata are replaced at the top level, and null is a value", mergesMetadata);
  test("errors are appended in order", appendsErrors);
  test("a completion may delete its row, and the answer shows what would have been stored", deletesRows);
  test("attempts of several clients are settled together", settlesManyClients);
  test("a settlement of nothing answers with nothing", settlesNothing);
  test("C02 one bad value spoils the batch as a whole, and the error says that a row caused it", spoilsTheBatch);
  test("a settlement of 5,000 attempts of all outcomes is one call", settlesManyJobs);
}

async function completesInBulk(subject: Subject): Promise<void> {
  const jobs = (await subject.addClaimed(20)).toReversed();
  const settled = await subject.jobs.settle({ settlements: jobs.map((job) => endOf(job)), wantRows: false });
  assert.deepEqual(
    settled.map(({ id, outcome, state }) => ({ id, outcome, state })),
    jobs.map(({ id }) => ({ id, outcome: "settled", state: "completed" })),
  );
  assert.ok((await subject.states(...jobs.map(({ id }) => id))).every((state) => state === "completed"));
}

async function keepsEachTime(subject: Subject): Promise<void> {
  const times = ["2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.123456789Z", "1999-12-31T23:59:59.9996Z"];
  const jobs = await subject.addClaimed(6);
  const finalizedAt = (index: number): Temporal.Instant => Temporal.Instant.from(times[index % 3] ?? "");
  const settlements = jobs.map((job, index) => endOf(job, { finalizedAt: finalizedAt(index) }));
  await subject.jobs.settle({ settlements: settlements.slice(0, 3), wantRows: false });
  await subject.jobs.settle({ settlements: settlements.slice(3), wantRows: true });
  for (const [index, { id }] of jobs.entries()) {
    sameInstant((await subject.read(id)).finalizedAt, subject.kept(finalizedAt(index)));
  }
}

async function answersWithRows(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(4);
  const ends = [
    {},
    { metadata: '{"output":1}' },
    { state: "discarded", error: ERROR },
    { state: "available" },
  ] as const;
  const settlements = jobs.map((job, index) => endOf(job, ends[index])).toReversed();
  const settled = await subject.jobs.settle({ settlements, wantRows: true });
  for (const [index, { id, job }] of settled.entries()) {
    assert.equal(id, settlements[index]?.id);
    assert.ok(job);
    assert.deepEqual(plain(fieldsOf(job)), plain(fieldsOf(await subject.read(id))));
  }
  assert.deepEqual(
    settled.map(({ state }) => state),
    ["available", "discarded", "completed", "completed"],
  );
}

async function writesAll(subject: Subject): Promise<void> {
  for (const state of ["available", "retryable", "scheduled", "cancelled", "discarded", "completed"] as const) {
    await subject.addOne({ args: '{"a":1}', metadata: '{"keep":1}', tags: ["t"], priority: 2, scheduledAt: longAgo() });
    const claimed = await subject.claimOne();
    const scheduledAt = fromNow(3_600_000);
    const end = endOf(claimed, { state, newAttempt: 0, scheduledAt, error: ERROR, metadata: '{"output":1}' });
    const settled = await subject.settle(end);
    assert.deepEqual([settled.outcome, settled.state], ["settled", state]);
    const stored = fieldsOf(await subject.read(claimed.id));
    sameJson(stored.errors, `[${ERROR}]`);
    sameJson(stored.metadata, '{"keep":1,"output":1}');
    const { errors, metadata } = stored;
    const { finalizedAt } = end;
    const written = { state, attempt: 0, scheduledAt, finalizedAt, errors, metadata };
    assert.deepEqual(plain(stored), plain({ ...fieldsOf(claimed), ...written }));
  }
}

async function leavesTheRest(subject: Subject): Promise<void> {
  for (const state of ["available", "retryable", "scheduled"] as const) {
    const { id } = await subject.addOne({ metadata: '{"keep":1}', scheduledAt: longAgo() });
    const claimed = await subject.claimOne();
    await subject.settle(endOf(claimed, { state }));
    const stored = fieldsOf(await subject.read(id));
    assert.deepEqual(plain(stored), plain({ ...fieldsOf(claimed), state }));
    await subject.jobs.delete({ id });
  }
}

async function mergesMetadata(subject: Subject): Promise<void> {
  const metadata = '{"keep":{"a":1},"o":{"x":1,"y":2},"list":[1,2],"gone":5,"n":1.50,"we\\"ird.key":{"a":1}}';
  const { id } = await subject.addOne({ metadata });
  const updates = '{"o":{"x":3},"gone":null,"list":[3],"z":null,"n":{"deep":[]},"we\\"ird.key":9007199254740993}';
  await subject.settle(endOf(await subject.claimOne(), { metadata: updates }));
  sameJson(
    (await subject.read(id)).metadata,
    '{"keep":{"a":1},"o":{"x":3},"gone":null,"list":[3],"z":null,"n":{"deep":[]},"we\\"ird.key":9007199254740993}',
  );
}

async function appendsErrors(subject: Subject): Promise<void> {
  const { id } = await subject.addOne();
  const entries = [1, 2, 3].map((attempt) => ERROR.replace('"attempt":1', `"attempt":${attempt}`));
  for (const error of entries) {
    await subject.settle(endOf(await subject.claimOne(), { state: "available", scheduledAt: longAgo(), error }));
  }
  sameJson((await subject.read(id)).errors, `[${entries.join(",")}]`);
}

async function deletesRows(subject: Subject): Promise<void> {
  const [a, b, c, d] = await subject.addClaimed(4);
  assert.ok(a && b && c && d);
  const metadata = '{"output":1}';
  const silent = await subject.settle(endOf(a, { deleteRow: true, metadata }));
  assert.deepEqual([silent.outcome, silent.state], ["settled", "completed"]);
  const shown = await subject.settle(endOf(b, { deleteRow: true, metadata }), true);
  assert.deepEqual([shown.outcome, shown.job?.id, shown.job?.state], ["settled", b.id, "completed"]);
  sameJson(shown.job?.metadata, metadata);
  assert.ok(shown.job?.finalizedAt);
  const plainEnd = await subject.settle(endOf(c, { deleteRow: true }), true);
  assert.equal(plainEnd.job?.state, "completed");
  assert.deepEqual(await subject.states(a.id, b.id, c.id, d.id), ["gone", "gone", "gone", "running"]);
}

async function settlesManyClients(subject: Subject): Promise<void> {
  await subject.add({}, {}, {});
  const jobs = [await subject.claimOne("a"), await subject.claimOne("b"), await subject.claimOne('c "{}\\')];
  const settled = await subject.jobs.settle({ settlements: jobs.map((job) => endOf(job)), wantRows: false });
  assert.ok(settled.every(({ outcome }) => outcome === "settled"));
}

async function settlesNothing(subject: Subject): Promise<void> {
  for (const wantRows of [false, true]) {
    assert.deepEqual(await subject.jobs.settle({ settlements: [], wantRows }), []);
  }
}

async function spoilsTheBatch(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(3);
  const [a, b, c] = jobs;
  assert.ok(a && b && c);
  const deep = `{"output":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  for (const bad of [{ metadata: '{"output":' }, { metadata: deep }, { state: "discarded", error: "hush" }] as const) {
    const settlements = [endOf(a), endOf(b, { metadata: '{"a":1}' }), endOf(c, bad)];
    await assert.rejects(
      subject.jobs.settle({ settlements, wantRows: false }),
      databaseError(subject, { operation: "jobs.settle", retryable: false, rowCaused: true, secret: "hush" }),
    );
    assert.deepEqual(await subject.states(a.id, b.id, c.id), ["running", "running", "running"]);
  }
  assert.equal((await subject.settle(endOf(a))).outcome, "settled");
}

async function settlesManyJobs(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(5_000);
  const settlements = jobs.map((job, index) => {
    if (index % 3 === 0) return endOf(job);
    if (index % 3 === 1) return endOf(job, { metadata: `{"output":${index}}` });
    return endOf(job, { state: "retryable", error: ERROR, scheduledAt: fromNow(60_000) });
  });
  const settled = await subject.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    settled.map(({ id, outcome, state }) => ({ id, outcome, state })),
    settlements.map(({ id, state }) => ({ id, outcome: "settled", state })),
  );
  const counts = await subject.raw.query("SELECT state, count(*) AS n FROM river_job GROUP BY state ORDER BY state");
  assert.deepEqual(
    counts.map(({ state, n }) => [state, Number(n)]),
    [
      ["completed", 3_334],
      ["retryable", 1_666],
    ],
  );
}
