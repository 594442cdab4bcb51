/** Rows that somebody damaged: they cost their neighbours nothing and can still be brought to an end. */
import assert from "node:assert/strict";
import type { JobRecord } from "riverqueue/driver";
import type { Damage } from "../backend-under-test.ts";
import type { ConformanceTest } from "../conformance-test.ts";
import { canonicalMembers, sameJson } from "../exact-json.ts";
import { endOf, ERROR, fromNow, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";

const GETTER = {
  args: "args",
  attempted_by: "attemptedBy",
  created_at: "createdAt",
  errors: "errors",
  metadata: "metadata",
  tags: "tags",
} as const satisfies Readonly<Record<Damage["column"], keyof JobRecord>>;

export function damageTests(test: ConformanceTest): void {
  test("a damaged row neither hinders the claim of its neighbours nor is hindered", (subject) =>
    forEachDamage(subject, claims));
  test("a damaged column is an error of its row, named, when it is read", (subject) => forEachDamage(subject, isNamed));
  test("a damaged row is settled with its neighbours", (subject) => forEachDamage(subject, settles));
  test("a row that is damaged while it runs is settled", (subject) => forEachDamage(subject, settlesLater));
  test("a damaged row is cancelled, retried, updated, listed and deleted", (subject) =>
    forEachDamage(subject, changes));
  test("a damaged row is promoted, rescued and cleaned up with its neighbours", (subject) =>
    forEachDamage(subject, maintains));
}

/** Runs `body` with a damage and with the IDs of a damaged job and of two sound ones around it. */
async function forEachDamage(
  subject: Subject,
  body: (subject: Subject, damage: Damage, ids: readonly [bigint, bigint, bigint]) => Promise<void>,
): Promise<void> {
  for (const damage of subject.raw.damages) {
    const [a, bad, c] = (await subject.add({}, {}, {})).map(({ id }) => id);
    assert.ok(a && bad && c);
    await damageRow(subject, bad, damage);
    try {
      await body(subject, damage, [a, bad, c]);
    } catch (error) {
      throw new Error(`with ${damage.what}`, { cause: error });
    }
    await subject.raw.query("DELETE FROM river_job");
  }
}

function damageRow(subject: Subject, id: bigint, { column, value }: Damage): Promise<void> {
  return subject.change(id, { [column]: value });
}

async function claims(subject: Subject, _: Damage, ids: readonly bigint[]): Promise<void> {
  const jobs = await subject.claim();
  assert.deepEqual(
    jobs.map(({ id, state, attempt, attemptedBy }) => [id, state, attempt, attemptedBy.at(-1)]),
    ids.map((id) => [id, "running", 1, "client-1"]),
  );
}

async function isNamed(subject: Subject, { column }: Damage, ids: readonly bigint[]): Promise<void> {
  const [a, bad] = await Promise.all(ids.map((id) => subject.read(id)));
  assert.ok(a && bad);
  assert.doesNotThrow(() => a[GETTER[column]]);
  assert.throws(
    () => bad[GETTER[column]],
    (error: Record<string, unknown>) => {
      assert.equal(error["code"], "database");
      assert.match(String(error["message"]), new RegExp(`river_job\\.${column} of job ${bad.id}\\b`));
      return true;
    },
  );
  assert.deepEqual([bad.id, bad.kind, bad.state], [ids[1], "noop", "available"]);
}

async function settles(
  subject: Subject,
  { column }: Damage,
  [, bad]: readonly [bigint, bigint, bigint],
): Promise<void> {
  const jobs = await subject.claim();
  const change = { state: "retryable", error: ERROR, metadata: '{"output":1}', clientId: "client-1" } as const;
  const settlements = jobs.map((job) => ({ ...endOf(job, change), attempt: 1 }));
  const settled = await subject.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    settled.map(({ outcome, state }) => [outcome, state]),
    jobs.map(() => ["settled", "retryable"]),
  );
  const errors = canonicalMembers((await subject.read(bad)).errors);
  // What stood there is kept in front of the entry.
  assert.equal(errors.length, column === "errors" ? 2 : 1);
  sameJson(errors.at(-1)?.[1], ERROR);
}

async function settlesLater(subject: Subject, damage: Damage, ids: readonly [bigint, bigint, bigint]): Promise<void> {
  const jobs = await subject.claim();
  const [, bad] = ids;
  await damageRow(subject, bad, damage);
  const ends = [
    endOf(jobs[0] ?? assert.fail(), { metadata: '{"output":1}' }),
    ...jobs.slice(1).map((job) => endOf(job)),
  ];
  const settled = await subject.jobs.settle({ settlements: ends, wantRows: false });
  // Where nobody can tell whose attempt it is, the row may be left to the rescuer; its neighbours may not.
  const allowed = damage.column === "attempted_by" ? ["settled", "superseded"] : ["settled"];
  assert.ok(allowed.includes(settled[1]?.outcome ?? ""), `is ${settled[1]?.outcome}`);
  assert.deepEqual([settled[0]?.outcome, settled[2]?.outcome], ["settled", "settled"]);
}

async function changes(subject: Subject, _: Damage, [, id]: readonly [bigint, bigint, bigint]): Promise<void> {
  assert.equal((await subject.jobs.cancel({ id, requestedAt: fromNow(0) })).outcome, "done");
  assert.equal((await subject.jobs.retry({ id })).outcome, "done");
  assert.equal((await subject.jobs.update({ id, metadata: '{"a":1}' }))?.id, id);
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 9 } as const;
  assert.equal((await subject.jobs.list(params)).length, 3);
  const searched = await subject.jobs.list({ ...params, metadata: "{}", tagsAll: [] });
  assert.ok(searched.length >= 2);
  assert.equal((await subject.jobs.delete({ id })).outcome, "done");
  assert.equal((await subject.jobs.deleteMany({ filter: {}, limit: 9 })).length, 2);
}

async function maintains(subject: Subject, _: Damage, ids: readonly [bigint, bigint, bigint]): Promise<void> {
  const term = await subject.lead();
  for (const id of ids) await subject.change(id, { state: "'scheduled'", scheduled_at: subject.raw.time(longAgo()) });
  const at = { dueBy: fromNow(0), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9, noticesFor: () => [] };
  assert.equal((await subject.jobs.promote({ term, ...at }))?.promoted, 3);
  await subject.claim();
  const horizon = fromNow(60_000);
  const stuck = await subject.jobs.listStuck({ horizon, afterId: 0n, limit: 9 });
  assert.deepEqual(
    stuck.map(({ id }) => id),
    ids,
  );
  const finalizedAt = longAgo();
  const rescues = ids.map((id) => {
    return { id, state: "discarded", finalizedAt, scheduledAt: null, error: ERROR, metadata: '{"a":1}' } as const;
  });
  assert.equal(await subject.jobs.rescue({ term, horizon, rescues }), 3);
  const params = { cancelledBefore: null, completedBefore: null, discardedBefore: fromNow(0), limit: 9 };
  assert.equal(await subject.jobs.deleteFinalized({ term, ...params }), 3);
  await subject.leader.resign({ term });
}
