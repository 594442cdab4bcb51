/** Claiming: which jobs, in which order, and what becomes of them. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import type { ClaimHint, JobRecord } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, ERROR, fieldsOf, fromNow, longAgo } from "../job-values.ts";
import { only } from "../only.ts";
import type { Subject } from "../subject.ts";

export function claimTests(test: ConformanceTest): void {
  test("a claim takes due jobs of its queue by priority, time and ID, up to its limit", claimsInOrder);
  test("a claim takes available jobs only", claimsAvailableJobs);
  test("a job is due from its scheduled time on, by the call's clock", claimsByTheClock);
  test("a claim counts the attempt, notes time and client, and changes nothing else", notesTheClaim);
  for (const earlier of [0, 99, 100, 150]) {
    test(`attempted_by keeps its last 100 clients: ${earlier} before`, (subject) => capsClients(subject, earlier));
  }
  test("a claim of certain kinds looks at no others, however many are before them", claimsKinds);
  test("a claim under a backlog goes on where the one before stopped, and misses nothing", goesOn);
  test("claims at the same time never get the same job", sharesOut);
  test("a claim that is rolled back never was", rollsBack);
}

function ids(jobs: readonly JobRecord[]): bigint[] {
  return jobs.map(({ id }) => id);
}

async function claimsInOrder(subject: Subject): Promise<void> {
  const [a, b, c, d, e] = await subject.add(
    { priority: 4, scheduledAt: fromNow(-9_000) },
    { priority: 1 },
    { priority: 2, scheduledAt: fromNow(-1_000) },
    { priority: 2, scheduledAt: fromNow(-2_000) },
    { priority: 1, scheduledAt: fromNow(-60_000) },
    { priority: 1, queue: "other" },
  );
  assert.ok(a && b && c && d && e);
  assert.deepEqual(ids(await subject.claim(1)), [e.id]);
  assert.deepEqual(ids(await subject.claim(2)), [b.id, d.id]);
  assert.deepEqual(ids(await subject.claim(100)), [a.id, c.id]);
  assert.deepEqual(await subject.claim(), []);
  const scheduledAt = longAgo();
  const same = await subject.add({ scheduledAt }, { scheduledAt }, { scheduledAt });
  for (const { id } of same) assert.equal((await subject.claimOne()).id, id);
}

async function claimsAvailableJobs(subject: Subject): Promise<void> {
  const states = ["cancelled", "completed", "discarded", "pending", "retryable", "running", "scheduled"];
  const jobs = await subject.add(...states.map(() => ({ scheduledAt: longAgo() })));
  for (const [index, state] of states.entries()) {
    const finalizedAt = index < 3 ? subject.raw.time(longAgo()) : "NULL";
    await subject.change(jobs[index]?.id ?? 0n, { state: `'${state}'`, finalized_at: finalizedAt });
  }
  assert.deepEqual(await subject.claim(), []);
}

async function claimsByTheClock(subject: Subject): Promise<void> {
  await subject.addOne({ scheduledAt: fromNow(60_000) });
  assert.deepEqual(await subject.claim(), []);
  const now = Temporal.Instant.from("2001-02-03T04:05:06.789Z");
  const { id } = await subject.addOne({ scheduledAt: now });
  assert.deepEqual(await subject.claim(9, "c", { now: now.subtract({ milliseconds: 1 }) }), []);
  const job = only(await subject.claim(9, "c", { now }));
  assert.equal(job.id, id);
  sameInstant(job.attemptedAt, now);
}

async function notesTheClaim(subject: Subject): Promise<void> {
  const job = await subject.addOne({ args: '{"a":1}', metadata: '{"b":1}', tags: ["t"] });
  const before = await subject.claimOne("first");
  await subject.settle(endOf(before, { state: "available", error: ERROR }));
  const ended = await subject.read(job.id);
  const claimed = await subject.claimOne("second");
  const stored = await subject.read(job.id);
  assert.deepEqual(plain(fieldsOf(stored)), plain(fieldsOf(claimed)));
  const { attemptedAt } = claimed;
  assert.ok(attemptedAt && Temporal.Instant.compare(attemptedAt, ended.createdAt) >= 0);
  const noted = { state: "running", attempt: 2, attemptedBy: ["first", "second"], attemptedAt };
  assert.deepEqual(plain(fieldsOf(claimed)), plain({ ...fieldsOf(ended), ...noted }));
  sameJson(claimed.errors, `[${ERROR}]`);
}

async function capsClients(subject: Subject, earlier: number): Promise<void> {
  const { id } = await subject.addOne();
  const clients = Array.from({ length: earlier }, (_, index) => `c${index}`);
  await subject.change(id, { attempted_by: subject.raw.texts(clients) });
  const { attemptedBy } = await subject.claimOne("last");
  assert.deepEqual(attemptedBy, [...clients, "last"].slice(-100));
}

async function claimsKinds(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 50 }, () => ({ kind: "unknown" })));
  const [a, b] = await subject.add({ kind: "known" }, { kind: "Known" });
  const claimKinds = async (...kinds: readonly string[]): Promise<bigint[]> => {
    const params = { queue: "default", clientId: "c", limit: 5, kinds, hint: null };
    return ids((await subject.jobs.claim(params)).jobs);
  };
  assert.deepEqual(await claimKinds(), []);
  assert.deepEqual(await claimKinds("known", "none"), [a?.id]);
  assert.deepEqual(await claimKinds("known"), []);
  assert.deepEqual(await claimKinds("Known"), [b?.id]);
  assert.equal((await subject.claim(100)).length, 50);
}

async function goesOn(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 1_500 }, (_, index) => ({ priority: 2 + (index % 2) })));
  const claimed: bigint[] = [];
  let hint: ClaimHint | null = null;
  const claimMore = async (limit: number): Promise<number> => {
    const claim = await subject.jobs.claim({ queue: "default", clientId: "c", limit, kinds: null, hint });
    ({ hint } = claim);
    claimed.push(...ids(claim.jobs));
    return claim.jobs.length;
  };
  await claimMore(500);
  const urgent = await subject.add({ priority: 1 }, { priority: 2, scheduledAt: longAgo() }, { priority: 4 });
  while ((await claimMore(300)) > 0) assert.ok(claimed.length <= 1_503);
  assert.equal(new Set(claimed).size, 1_503);
  assert.ok(urgent.every(({ id }) => claimed.includes(id)));
}

async function sharesOut(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 200 }, () => ({})));
  const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => subject.claim(15, `c${index}`)));
  const got = claims.flat();
  assert.equal(new Set(ids(got)).size, got.length);
  const rest = await subject.claim(200, "rest");
  assert.equal(new Set(ids([...got, ...rest])).size, 200);
  for (const [index, jobs] of claims.entries()) assert.ok(jobs.every((job) => job.attemptedBy[0] === `c${index}`));
}

async function rollsBack(subject: Subject): Promise<void> {
  const { id } = await subject.addOne();
  const { scope, rollback } = await subject.begin();
  assert.equal(only(await subject.claim(9, "c", { scope })).id, id);
  await rollback();
  const again = await subject.claimOne("d");
  assert.deepEqual([again.attempt, again.attemptedBy], [1, ["d"]]);
}
