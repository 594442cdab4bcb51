/** Rows that a trigger or a foreign key of the application's refuses to have changed or deleted: they cost only themselves. */
import assert from "node:assert/strict";
import type {
  ClaimJobsParams,
  DeleteFinalizedParams,
  LeaderTerm,
  PromoteJobsParams,
  PromoteJobsResult,
  Refusals,
} from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { ascending, endOf, fromNow, longAgo, MASK, unique } from "../job-values.ts";
import { only } from "../only.ts";
import type { Subject } from "../subject.ts";

/** Stands in every refused row, and in no error. */
const SECRET = "secret-of-the-row";
const REFUSED = { kind: "refused", args: `{"a":"${SECRET}"}` } as const;
const SOUND = {} as const;

export function refusedRowTests(test: ConformanceTest): void {
  test("a claim passes over rows that it may not change, names each once, and keeps order and limit", claimsOthers);
  test("rows refused before are left out of a claim, of some kinds too", leavesKnownOut);
  test("rows that may not be changed, more than a claim takes, do not hide those behind them", claimsBehindMany);
  test("a table that refuses every row is not asked about each of them by one claim", givesUpClaiming);
  test("of rows of which half is refused a claim gets those that one statement can take", triesEveryPart);
  test("a row that may not be changed fails a claim in the caller's transaction, and nothing is claimed", failsInScope);
  test("a deletion of old rows passes over one that another table refers to, and goes on behind it", deletesOthers);
  test("a deletion of old rows passes over one that a trigger keeps", deletesAroundTriggers);
  test("a deletion around refused rows happens under the present term only", fencesDeletions);
  test(
    "a promotion leaves rows that it may not change as they are, and promotes and discards the others",
    promotesOthers,
  );
  test("rows refused before use up nothing of the limit of a promotion", promotesBehindKnown);
  test("a bulk deletion with a row that another table refers to deletes nothing", deletesAllOrNone);
}

/** What a runtime keeps: it adds what is noted to what is known. */
class Memory implements Refusals {
  readonly known: bigint[] = [];
  readonly errors: unknown[] = [];

  note(jobId: bigint, error: unknown): void {
    this.known.push(jobId);
    this.errors.push(error);
  }

  /** Every error is one of the database for one row, and repeats nothing of it. */
  assertErrors(): void {
    for (const error of this.errors as { code: string; message: string; details: Record<string, unknown> }[]) {
      assert.deepEqual([error.code, error.details["rowCaused"]], ["database", true]);
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, new RegExp(`${SECRET}|UPDATE|DELETE|SELECT`));
    }
  }
}

/** Inserts jobs of which those at `bad` are refused; all IDs. */
async function addAround(subject: Subject, count: number, bad: readonly number[]): Promise<bigint[]> {
  const jobs = Array.from({ length: count }, (_, index) => (bad.includes(index) ? REFUSED : SOUND));
  return (await subject.add(...jobs)).map(({ id }) => id);
}

/** Nobody may change or delete a refused row from now on. */
function refuse(subject: Subject, event: "DELETE" | "UPDATE"): Promise<void> {
  return subject.raw.refuse("river_job", event, `OLD.kind = '${REFUSED.kind}'`);
}

async function claim(subject: Subject, overrides: Partial<ClaimJobsParams>): Promise<bigint[]> {
  const params = { queue: "default", clientId: "client-1", limit: 100, kinds: null, hint: null, ...overrides };
  return ascending((await subject.jobs.claim(params)).jobs.map(({ id }) => id));
}

function at<T>(items: readonly T[], ...indexes: readonly number[]): T[] {
  return items.filter((_, index) => indexes.includes(index));
}

async function claimsOthers(subject: Subject): Promise<void> {
  const ids = await addAround(subject, 8, [0, 3]);
  await subject.change(ids[7] ?? 0n, { priority: "2" });
  await refuse(subject, "UPDATE");
  const refusals = new Memory();
  assert.deepEqual(await claim(subject, { limit: 3, refusals }), at(ids, 1, 2, 4));
  assert.deepEqual(refusals.known, at(ids, 0, 3));
  refusals.assertErrors();
  assert.deepEqual(await claim(subject, { limit: 2, refusals }), at(ids, 5, 6));
  assert.deepEqual(await claim(subject, { limit: 2, refusals }), at(ids, 7));
  assert.deepEqual(await claim(subject, { limit: 2, refusals }), []);
  assert.equal(refusals.known.length, 2);
  assert.deepEqual(await subject.states(...at(ids, 0, 3)), ["available", "available"]);
}

async function leavesKnownOut(subject: Subject): Promise<void> {
  const ids = await addAround(subject, 5, [0]);
  const [other] = await subject.add({ kind: "other" });
  await refuse(subject, "UPDATE");
  const refusals = new Memory();
  // Nobody has found out about it, so it is left out only because it is known.
  refusals.known.push(ids[1] ?? 0n);
  assert.deepEqual(await claim(subject, { limit: 1, kinds: ["noop", "refused"], refusals }), at(ids, 2));
  assert.deepEqual(refusals.known, at(ids, 1, 0).toReversed());
  assert.deepEqual(await claim(subject, { kinds: ["noop", "refused"], refusals }), at(ids, 3, 4));
  assert.deepEqual(await claim(subject, { kinds: ["none"], refusals }), []);
  assert.deepEqual(await claim(subject, { refusals }), [other?.id]);
  refusals.known.length = 0;
  assert.deepEqual(await claim(subject, { kinds: ["noop"], refusals }), at(ids, 1));
}

async function claimsBehindMany(subject: Subject): Promise<void> {
  const ids = await addAround(
    subject,
    25,
    Array.from({ length: 20 }, (_, index) => index),
  );
  await refuse(subject, "UPDATE");
  const refusals = new Memory();
  assert.deepEqual(await claim(subject, { limit: 5, refusals }), ids.slice(20));
  assert.deepEqual(refusals.known, ids.slice(0, 20));
}

async function givesUpClaiming(subject: Subject): Promise<void> {
  await addAround(
    subject,
    300,
    Array.from({ length: 300 }, (_, index) => index),
  );
  await refuse(subject, "UPDATE");
  const refusals = new Memory();
  assert.deepEqual(await claim(subject, { limit: 300, refusals }), []);
  const { length } = refusals.known;
  assert.ok(length > 0 && length < 100, `noted ${length}`);
}

async function triesEveryPart(subject: Subject): Promise<void> {
  const ids = await addAround(
    subject,
    256,
    Array.from({ length: 128 }, (_, index) => index),
  );
  await refuse(subject, "UPDATE");
  assert.deepEqual(await claim(subject, { limit: 256, refusals: new Memory() }), ids.slice(128));
}

async function failsInScope(subject: Subject): Promise<void> {
  const ids = await addAround(subject, 3, [1]);
  await refuse(subject, "UPDATE");
  const { scope, rollback } = await subject.begin();
  const params = { queue: "default", clientId: "client-1", limit: 9, kinds: null, hint: null };
  const refusals = new Memory();
  await assert.rejects(subject.jobs.claim({ ...params, refusals }, { scope }), { code: "database", retryable: false });
  await rollback();
  assert.deepEqual(refusals.known, []);
  assert.deepEqual(await subject.states(...ids), ["available", "available", "available"]);
}

/** Jobs that ended long ago, of which those at `bad` are of the refused kind. */
async function addOld(subject: Subject, count: number, bad: readonly number[] = []): Promise<bigint[]> {
  const ids = await addAround(subject, count, bad);
  const jobs = await subject.claim(count);
  const settlements = jobs.map((job) => endOf(job, { finalizedAt: longAgo() }));
  await subject.jobs.settle({ settlements, wantRows: false });
  return ids;
}

/** Another table refers to these jobs from now on. */
async function referTo(subject: Subject, ids: readonly bigint[]): Promise<void> {
  await subject.raw.query("CREATE TABLE app_note (job_id bigint NOT NULL REFERENCES river_job (id))");
  for (const id of ids) await subject.raw.query(`INSERT INTO app_note (job_id) VALUES (${id})`);
}

function deletion(term: LeaderTerm, overrides: Partial<DeleteFinalizedParams> = {}): DeleteFinalizedParams {
  const before = { cancelledBefore: null, completedBefore: fromNow(0), discardedBefore: null };
  return { term, ...before, limit: 100, ...overrides };
}

async function deletesOthers(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const ids = await addOld(subject, 7);
  await referTo(subject, at(ids, 0, 1, 4));
  const refusals = new Memory();
  const remove = (): Promise<number | null> => subject.jobs.deleteFinalized(deletion(term, { limit: 2, refusals }));
  assert.equal(await remove(), 2);
  assert.deepEqual(await subject.states(...at(ids, 2, 3)), ["gone", "gone"]);
  assert.deepEqual(refusals.known, at(ids, 0, 1));
  assert.equal(await remove(), 2);
  assert.equal(await remove(), 0);
  assert.deepEqual(refusals.known, at(ids, 0, 1, 4));
  refusals.assertErrors();
  assert.deepEqual(await subject.states(...at(ids, 0, 1, 4)), ["completed", "completed", "completed"]);
  await subject.raw.query("DELETE FROM app_note");
  assert.equal(await subject.jobs.deleteFinalized(deletion(term)), 3);
}

async function deletesAroundTriggers(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const ids = await addOld(subject, 5, [0, 4]);
  const fresh = only(await subject.addClaimed(1));
  await subject.settle(endOf(fresh, { finalizedAt: fromNow(60_000) }));
  await refuse(subject, "DELETE");
  // Nobody is told, and the others go all the same.
  assert.equal(await subject.jobs.deleteFinalized(deletion(term)), 3);
  assert.deepEqual(await subject.states(...ids), ["completed", "gone", "gone", "gone", "completed"]);
  assert.equal((await subject.read(fresh.id)).state, "completed");
}

async function fencesDeletions(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const ids = await addOld(subject, 3);
  await referTo(subject, at(ids, 0));
  const refusals = new Memory();
  refusals.known.push(ids[0] ?? 0n);
  await subject.leader.resign({ term });
  assert.equal(await subject.jobs.deleteFinalized(deletion(term, { refusals })), null);
  assert.equal(await subject.jobs.deleteFinalized(deletion(term, { completedBefore: longAgo(), refusals })), null);
  assert.deepEqual(await subject.states(...ids), ["completed", "completed", "completed"]);
}

function promotion(term: LeaderTerm, overrides: Partial<PromoteJobsParams>): PromoteJobsParams {
  const now = fromNow(0);
  return { term, dueBy: now, passAt: now, noticeBy: now, limit: 100, noticesFor: () => [], ...overrides };
}

async function promotesOthers(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const due = { state: "scheduled", scheduledAt: longAgo() } as const;
  const holder = await subject.addOne({ ...unique(1, MASK.required), kind: "holder" });
  const jobs = await subject.add(
    { ...due, ...REFUSED },
    due,
    { ...due, ...unique(2, MASK.required) },
    { ...due, ...REFUSED, ...unique(3, MASK.required) },
    due,
  );
  const [taken, refusedTaken] = await subject.add(
    { ...due, ...unique(4, MASK.required) },
    { ...due, ...REFUSED, ...unique(5, MASK.required) },
  );
  assert.ok(taken && refusedTaken);
  // By now another row holds their key: they are to be discarded.
  for (const { id } of [taken, refusedTaken]) {
    const key = `(SELECT unique_key FROM river_job WHERE id = ${holder.id})`;
    await subject.change(id, { unique_key: key, state: "'retryable'" });
  }
  await refuse(subject, "UPDATE");
  const ids = jobs.map(({ id }) => id);
  const refusals = new Memory();
  const promote = (): Promise<PromoteJobsResult | null> => subject.jobs.promote(promotion(term, { refusals }));
  const first = await promote();
  assert.deepEqual([first?.promoted, first?.discarded, first?.skipped], [3, 1, []]);
  assert.deepEqual(await subject.states(...ids), ["scheduled", "available", "available", "scheduled", "available"]);
  assert.deepEqual(await subject.states(taken.id, refusedTaken.id, holder.id), ["discarded", "retryable", "available"]);
  assert.deepEqual(ascending(refusals.known), [...at(ids, 0, 3), refusedTaken.id]);
  refusals.assertErrors();
  assert.deepEqual(await promote(), { taken: 0, promoted: 0, discarded: 0, skipped: [] });
  assert.equal(refusals.known.length, 3);
}

async function promotesBehindKnown(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const due = { state: "scheduled", scheduledAt: longAgo() } as const;
  const jobs = await subject.add({ ...due, ...REFUSED }, { ...due, ...REFUSED }, due, due, due);
  await refuse(subject, "UPDATE");
  const refusals = new Memory();
  const ids = jobs.map(({ id }) => id);
  refusals.known.push(...at(ids, 0, 1));
  const promote = async (): Promise<number | undefined> =>
    (await subject.jobs.promote(promotion(term, { limit: 2, refusals })))?.promoted;
  assert.equal(await promote(), 2);
  assert.deepEqual(await subject.states(...ids), ["scheduled", "scheduled", "available", "available", "scheduled"]);
  assert.equal(await promote(), 1);
  assert.equal(refusals.errors.length, 0);
}

async function deletesAllOrNone(subject: Subject): Promise<void> {
  const ids = (await subject.add({}, {}, {})).map(({ id }) => id);
  await referTo(subject, at(ids, 1));
  await assert.rejects(subject.jobs.deleteMany({ filter: {}, limit: 9 }), { code: "database", retryable: false });
  assert.equal(await subject.countJobs(), 3);
  await assert.rejects(subject.jobs.delete({ id: ids[1] ?? 0n }), { code: "database", retryable: false });
  assert.equal((await subject.jobs.delete({ id: ids[0] ?? 0n })).outcome, "done");
}
