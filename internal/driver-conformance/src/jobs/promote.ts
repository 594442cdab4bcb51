/** Promotion of due jobs: order, limits, unique conflicts, notices, and the term of the leader. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import {
  insertNotice,
  type JobToInsert,
  type LeaderTerm,
  type PromoteJobsParams,
  type PromoteJobsResult,
} from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { ascending, fieldsOf, fromNow, longAgo, MASK, unique } from "../job-values.ts";
import { only } from "../only.ts";
import type { Subject } from "../subject.ts";

const MARKER = insertNotice("marker");

export function promoteTests(test: ConformanceTest): void {
  test("due jobs become available, up to the horizon, and keep all else", promotesDueJobs);
  test("promotion goes by priority, time and ID up to its limit", promotesInOrder);
  test("C08 A.7 a due retry whose key was taken is discarded and says so; nobody else waits for it", discardsConflicts);
  test("A.7 a due holder of a key and a due retry of it: the holder becomes available", keepsTheHolder);
  test("A.7 of two due retries of a free key the first in order gets it", firstInOrderGetsTheKey);
  test("A.7 a row that could not even be discarded is left out and reported; others are promoted", leavesPoisonOut);
  test("A.7 a due holder and a due row with its key but no mask both become available", ignoresMasklessRows);
  test("any number of rows that must be left out use up nothing of the limit", leavesAnyNumberOut);
  test("a key whose holder left the states of its mask is free", promotesFreedKeys);
  test("queues of promoted jobs that are due by then are offered for notices once", offersQueues);
  test("notices of a promotion are sent with it, or not at all", sendsWithThePromotion);
  test("a promotion under a term that is over changes nothing and asks for no notices", isFenced);
  test("a promotion of very many jobs", promotesManyJobs);
}

interface Promotion {
  readonly result: PromoteJobsResult | null;
  readonly offered: readonly (readonly string[])[];
}

async function promote(
  subject: Subject,
  term: LeaderTerm,
  overrides: Partial<PromoteJobsParams> = {},
): Promise<Promotion> {
  const passAt = fromNow(0);
  const offered: (readonly string[])[] = [];
  const result = await subject.jobs.promote({
    term,
    dueBy: passAt.add({ seconds: 5 }),
    passAt,
    noticeBy: passAt,
    limit: 10_000,
    noticesFor: (queues) => {
      offered.push(queues);
      return [];
    },
    ...overrides,
  });
  return { result, offered };
}

function due(overrides: Partial<JobToInsert> = {}): Partial<JobToInsert> {
  return { state: "scheduled", scheduledAt: longAgo(), ...overrides };
}

/** A due job that waits for its retry with a key that it does not hold. */
async function retryable(subject: Subject, seed: number, mask: number, priority = 1): Promise<bigint> {
  const { id } = await subject.addOne({ ...unique(seed, mask), scheduledAt: longAgo(), priority });
  await subject.change(id, { state: "'retryable'" });
  return id;
}

async function promotesDueJobs(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const jobs = await subject.add(
    due({ args: '{"a":1}', tags: ["t"], metadata: '{"m":1}' }),
    due({ scheduledAt: fromNow(4_000) }),
    due({ scheduledAt: fromNow(60_000) }),
    { state: "pending", scheduledAt: longAgo() },
    { scheduledAt: longAgo() },
    due(),
  );
  const ids = jobs.map(({ id }) => id);
  await subject.change(ids[5] ?? 0n, { state: "'retryable'", attempt: "3" });
  const before = await Promise.all(ids.map((id) => subject.read(id)));
  const { result } = await promote(subject, term);
  assert.deepEqual(result, { taken: 3, promoted: 3, discarded: 0, skipped: [] });
  for (const [index, job] of before.entries()) {
    const state = [0, 1, 5].includes(index) ? "available" : job.state;
    assert.deepEqual(plain(fieldsOf(await subject.read(job.id))), plain({ ...fieldsOf(job), state }));
  }
  assert.deepEqual((await promote(subject, term)).result, { taken: 0, promoted: 0, discarded: 0, skipped: [] });
}

async function promotesInOrder(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const earlier = longAgo().subtract({ seconds: 1 });
  const jobs = await subject.add(
    due({ priority: 4 }),
    due({ priority: 2, queue: "other" }),
    due({ priority: 2, scheduledAt: earlier }),
    due({ priority: 1 }),
    due({ priority: 1 }),
  );
  const ids = jobs.map(({ id }) => id);
  await subject.change(ids[3] ?? 0n, { state: "'retryable'" });
  const promoted: (readonly number[])[] = [[3, 4], [2, 1], [0]];
  const available = new Set<number>();
  for (const expected of promoted) {
    const { result } = await promote(subject, term, { limit: 2 });
    assert.equal(result?.taken, expected.length);
    for (const index of expected) available.add(index);
    const states = await subject.states(...ids);
    assert.deepEqual(
      states.map((state) => state === "available"),
      ids.map((_, index) => available.has(index)),
    );
  }
}

async function discardsConflicts(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const loser = await retryable(subject, 1, MASK.required);
  await subject.change(loser, { attempt: "2", metadata: subject.raw.json('{"m":1}') });
  const before = await subject.read(loser);
  const holder = await subject.addOne(due({ ...unique(1, MASK.required), scheduledAt: fromNow(3_600_000) }));
  await subject.add(...Array.from({ length: 500 }, () => due()));
  const lone = await subject.addOne(due(unique(2, MASK.required)));
  const passAt = fromNow(4_000);
  const { result } = await promote(subject, term, { passAt });
  assert.deepEqual(result, { taken: 502, promoted: 501, discarded: 1, skipped: [] });
  const stored = await subject.read(loser);
  sameJson(stored.metadata, '{"m":1,"unique_key_conflict":"scheduler_discarded"}');
  const discarded = { ...fieldsOf(before), state: "discarded", finalizedAt: passAt, metadata: stored.metadata };
  assert.deepEqual(plain(fieldsOf(stored)), plain(discarded));
  assert.deepEqual(await subject.states(holder.id, lone.id), ["scheduled", "available"]);
}

async function keepsTheHolder(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const retry = await retryable(subject, 1, MASK.required);
  const holder = await subject.addOne(due({ ...unique(1, MASK.required), priority: 4 }));
  const { result } = await promote(subject, term);
  assert.deepEqual(result, { taken: 2, promoted: 1, discarded: 1, skipped: [] });
  assert.deepEqual(await subject.states(holder.id, retry), ["available", "discarded"]);
}

async function firstInOrderGetsTheKey(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const [last, third] = [await retryable(subject, 1, MASK.required, 3), await retryable(subject, 1, MASK.required, 2)];
  const [first, second] = [await retryable(subject, 1, MASK.required), await retryable(subject, 1, MASK.required)];
  const { result } = await promote(subject, term);
  assert.deepEqual(result, { taken: 4, promoted: 1, discarded: 3, skipped: [] });
  const states = await subject.states(first, second, third, last);
  assert.deepEqual(states, ["available", "discarded", "discarded", "discarded"]);
}

async function leavesPoisonOut(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const poison = await retryable(subject, 1, MASK.requiredAndDiscarded);
  await subject.addOne({ ...unique(1, MASK.required), scheduledAt: longAgo() });
  await subject.claimOne();
  const other = await subject.addOne(due({ priority: 4 }));
  const before = await subject.read(poison);
  const { result } = await promote(subject, term);
  assert.deepEqual(result, { taken: 1, promoted: 1, discarded: 0, skipped: [poison] });
  assert.equal((await subject.read(other.id)).state, "available");
  assert.deepEqual(plain(fieldsOf(await subject.read(poison))), plain(fieldsOf(before)));
}

async function ignoresMasklessRows(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const free = await subject.addOne(due(unique(1, MASK.required)));
  await subject.change(free.id, { unique_states: "NULL", state: "'retryable'" });
  const holder = await subject.addOne(due(unique(1, MASK.required)));
  const { result } = await promote(subject, term);
  assert.deepEqual(result, { taken: 2, promoted: 2, discarded: 0, skipped: [] });
  assert.deepEqual(await subject.states(free.id, holder.id), ["available", "available"]);
}

async function leavesAnyNumberOut(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const poison: bigint[] = [];
  for (let seed = 1; seed <= 7; seed++) {
    poison.push(await retryable(subject, seed, MASK.requiredAndDiscarded));
    await subject.addOne({ ...unique(seed, MASK.required), state: "pending" });
  }
  const others = await subject.add(due({ priority: 4 }), due({ priority: 4 }), due({ priority: 4 }));
  const first = (await promote(subject, term, { limit: 2 })).result;
  assert.deepEqual([first?.taken, first?.promoted], [2, 2]);
  assert.deepEqual(ascending(first?.skipped ?? []), ascending(poison));
  const second = (await promote(subject, term, { limit: 2 })).result;
  assert.deepEqual([second?.taken, second?.promoted], [1, 1]);
  assert.ok((await subject.states(...others.map(({ id }) => id))).every((state) => state === "available"));
  assert.ok((await subject.states(...poison)).every((state) => state === "retryable"));
}

async function promotesFreedKeys(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const retry = await retryable(subject, 1, MASK.required);
  const holder = await subject.addOne(unique(1, MASK.required));
  await subject.jobs.cancel({ id: holder.id, requestedAt: fromNow(0) });
  assert.equal((await promote(subject, term)).result?.promoted, 1);
  assert.deepEqual(await subject.states(retry, holder.id), ["available", "cancelled"]);
}

async function offersQueues(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const noticeBy = fromNow(5);
  await retryable(subject, 1, MASK.required);
  await subject.add(
    due({ queue: "q1", priority: 2 }),
    due({ queue: "q1" }),
    due({ queue: "q2", scheduledAt: noticeBy }),
    due({ queue: "q3", scheduledAt: noticeBy.add({ milliseconds: 1 }) }),
    { ...unique(1, MASK.required), state: "pending", queue: "q4" },
  );
  const { result, offered } = await promote(subject, term, { noticeBy });
  assert.deepEqual([result?.promoted, result?.discarded], [4, 1]);
  assert.deepEqual(only(offered).toSorted(), ["q1", "q2"]);
  assert.deepEqual(only((await promote(subject, term)).offered), []);
}

async function sendsWithThePromotion(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const { id } = await subject.addOne(due({ queue: "q1" }));
  const inbox = await subject.listen("river_insert");
  const failing = promote(subject, term, {
    noticesFor: () => {
      throw new RangeError("the caller's own");
    },
  });
  await assert.rejects(failing, new RangeError("the caller's own"));
  assert.equal((await subject.read(id)).state, "scheduled");
  await promote(subject, term, { noticesFor: (queues) => queues.map(insertNotice) });
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), [{ topic: "river_insert", payload: { queue: "q1" } }]);
  assert.equal((await subject.read(id)).state, "available");
}

async function isFenced(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const { id } = await subject.addOne(due());
  const wrong = [
    { ...term, leaderId: "client-2" },
    { ...term, electedAt: term.electedAt.subtract({ milliseconds: 1 }) },
  ];
  for (const other of wrong) assert.deepEqual(await promote(subject, other), { result: null, offered: [] });
  await subject.leader.resign({ term });
  await subject.lead("client-2");
  assert.deepEqual(await promote(subject, term), { result: null, offered: [] });
  assert.equal((await subject.read(id)).state, "scheduled");
}

async function promotesManyJobs(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const jobs = Array.from({ length: 6_000 }, (_, index) =>
    due({
      queue: `q${index % 5}`,
      priority: 1 + (index % 4),
      ...(index % 3 === 0 ? unique(index, MASK.required) : {}),
    }),
  );
  await subject.add(...jobs);
  const { result } = await promote(subject, term, { limit: 5_000 });
  assert.deepEqual(result, { taken: 5_000, promoted: 5_000, discarded: 0, skipped: [] });
  assert.equal((await promote(subject, term, { limit: 5_000 })).result?.taken, 1_000);
}
