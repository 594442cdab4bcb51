/** Rows that another session holds delay nobody else, where sessions can hold rows at all. */
import assert from "node:assert/strict";
import type { ConformanceTest } from "../conformance-test.ts";
import { endOf, ERROR, fromNow, longAgo } from "../job-values.ts";
import type { OpenTransaction } from "../backend-under-test.ts";
import type { Subject } from "../subject.ts";

const NEEDS = { needsRowLocks: true };

export function lockedRowTests(test: ConformanceTest): void {
  test("a claim skips rows that others hold", skipsAtClaim, NEEDS);
  for (const end of [{}, { metadata: '{"output":1}' }, { deleteRow: true }]) {
    const what = Object.keys(end)[0] ?? "plain";
    test(
      `C24 ${what}: a held row is answered as locked and delays nobody`,
      (subject) => answersLocked(subject, end),
      NEEDS,
    );
  }
  test("promotion leaves a held row to the next pass", skipsAtPromotion, NEEDS);
  test("a rescue leaves a held row to the next pass", skipsAtRescue, NEEDS);
  test("a bulk deletion leaves held rows alone", skipsAtDeletion, NEEDS);
}

async function hold(subject: Subject, id: bigint | undefined): Promise<OpenTransaction> {
  const holder = await subject.begin();
  await holder.lockRows("river_job", `id = ${id ?? 0n}`);
  return holder;
}

async function skipsAtClaim(subject: Subject): Promise<void> {
  const [a, b, c] = await subject.add({}, {}, {});
  const holder = await hold(subject, b?.id);
  assert.deepEqual(
    (await subject.claim(2)).map(({ id }) => id),
    [a?.id, c?.id],
  );
  await holder.rollback();
  assert.equal((await subject.claimOne()).id, b?.id);
}

async function answersLocked(subject: Subject, end: Parameters<typeof endOf>[1]): Promise<void> {
  const jobs = await subject.addClaimed(100);
  const holder = await hold(subject, jobs[2]?.id);
  const settlements = jobs.map((job) => endOf(job, end));
  const settled = await subject.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    settled.map(({ id, outcome, state }) => [id, outcome, state]),
    jobs.map(({ id }, index) => (index === 2 ? [id, "locked", null] : [id, "settled", "completed"])),
  );
  await holder.rollback();
  assert.equal((await subject.settle(settlements[2] ?? assert.fail())).outcome, "settled");
}

async function skipsAtPromotion(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const jobs = await subject.add(...[1, 2, 3].map(() => ({ state: "scheduled" as const, scheduledAt: longAgo() })));
  const ids = jobs.map(({ id }) => id);
  const holder = await hold(subject, ids[1]);
  const at = { dueBy: fromNow(0), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9, noticesFor: () => [] };
  assert.equal((await subject.jobs.promote({ term, ...at }))?.promoted, 2);
  await holder.rollback();
  assert.deepEqual(await subject.states(...ids), ["available", "scheduled", "available"]);
  assert.equal((await subject.jobs.promote({ term, ...at }))?.promoted, 1);
}

async function skipsAtRescue(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const ids = (await subject.addClaimed(3)).map(({ id }) => id);
  const holder = await hold(subject, ids[1]);
  const rescues = ids.map((id) => {
    return { id, state: "retryable", finalizedAt: null, scheduledAt: null, error: ERROR, metadata: "{}" } as const;
  });
  const params = { term, horizon: fromNow(60_000), rescues };
  assert.equal(await subject.jobs.rescue(params), 2);
  await holder.rollback();
  assert.equal(await subject.jobs.rescue(params), 1);
}

async function skipsAtDeletion(subject: Subject): Promise<void> {
  const ids = (await subject.add({}, {}, {})).map(({ id }) => id);
  const holder = await hold(subject, ids[1]);
  const deleted = await subject.jobs.deleteMany({ filter: {}, limit: 9 });
  assert.deepEqual(
    deleted.map(({ id }) => id),
    [ids[0], ids[2]],
  );
  await holder.rollback();
  assert.equal(await subject.countJobs(), 1);
}
