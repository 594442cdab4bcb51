/** Transactions of a leader: what is written in them is there only if the term held to the end. */
import assert from "node:assert/strict";
import { insertNotice, type LeaderTransaction, type OwnScope, type Scope } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { endOf, newJob } from "./job-values.ts";
import { only } from "./only.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const DEFAULT = { durability: "default" } as const;
const INSERTION = { jobs: [newJob()], notices: [insertNotice("q")], durability: "default" } as const;
const TTL = 15_000;

function at(seconds: number): { readonly now: Temporal.Instant } {
  return { now: Temporal.Instant.from("2030-01-01T00:00:00Z").add({ milliseconds: seconds * 1_000 }) };
}

export function leaderTransactionTests(test: ConformanceTest): void {
  test("a leader's transaction is committed while the term holds, and answers what its body does", commits);
  test("a leader's transaction whose term is over leaves nothing", isFenced);
  test("a leader's transaction is not committed if the term ended while it was open", isFencedAtTheEnd);
  test("a leader's transaction is fenced by the given clock", isFencedByTheClock);
  test("around a hand-over only the holder of the term inserts", handsOver);
  test("a leader's transaction whose body rejects, or hides a failure, leaves nothing", rollsBack);
  test("a leader's transaction that takes too long or is told to end leaves nothing, and what follows runs", isLimited);
  test("while a leader's transaction waits, everything else goes on", holdsNobodyUp);
}

/** Inserts one job in a leader's transaction. */
function insertAs(
  subject: Subject,
  term: LeaderTransaction<unknown>["term"],
  call?: { readonly now: Temporal.Instant },
): Promise<bigint | null> {
  const body = async (scope: OwnScope): Promise<bigint> =>
    only(await subject.jobs.insert(INSERTION, { ...call, scope })).job.id;
  return subject.leader.transact({ term, body, ...DEFAULT }, call);
}

async function heard(subject: Subject, act: () => Promise<void>): Promise<unknown[]> {
  const inbox = await subject.listen("river_insert", "river_leadership");
  await act();
  await subject.send(MARKER);
  return (await inbox.until(MARKER)).map(({ payload }) => payload);
}

async function commits(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const payloads = await heard(subject, async () => {
    for (const durability of ["default", "relaxed"] as const) {
      const body = async (scope: OwnScope): Promise<bigint[]> => {
        const first = only(await subject.jobs.insert(INSERTION, { scope }));
        const second = only(await subject.driver.jobs.insert({ ...INSERTION, notices: [] }, { scope }));
        return [first.job.id, second.job.id];
      };
      const ids = await subject.leader.transact({ term, body, durability });
      assert.deepEqual(await subject.states(...(ids ?? [])), ["available", "available"]);
    }
  });
  assert.deepEqual(payloads, [{ queue: "q" }, { queue: "q" }]);
  assert.equal(await subject.leader.transact({ term, body: () => Promise.resolve("value"), ...DEFAULT }), "value");
}

async function isFenced(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const strangers = [
    { ...term, electedAt: term.electedAt.subtract({ milliseconds: 1 }) },
    { ...term, electedAt: term.electedAt.add({ milliseconds: 1 }) },
    { ...term, leaderId: "somebody else" },
  ];
  const payloads = await heard(subject, async () => {
    for (const stranger of strangers) assert.equal(await insertAs(subject, stranger), null);
    await subject.raw.query("DELETE FROM river_leader");
    assert.equal(await insertAs(subject, term), null);
    await subject.lead("next");
    assert.equal(await insertAs(subject, term), null);
  });
  assert.deepEqual(payloads, []);
  assert.equal(await subject.countJobs(), 0);
}

async function isFencedAtTheEnd(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const scopes: Scope<unknown>[] = [];
  const body = async (scope: OwnScope): Promise<void> => {
    scopes.push(scope);
    await subject.jobs.insert(INSERTION, { scope });
    // Inside, where it is undone with the rest.
    assert.equal(await subject.leader.resign({ term }, { scope }), true);
  };
  const payloads = await heard(subject, async () => {
    assert.equal(await subject.leader.transact({ term, body, ...DEFAULT }), null);
  });
  assert.deepEqual(payloads, []);
  assert.equal(await subject.countJobs(), 0);
  assert.equal((await subject.leader.current())?.leaderId, term.leaderId);
  const refusal = { code: "transaction_scope", reason: "no_transaction" };
  for (const scope of scopes) await assert.rejects(subject.jobs.insert(INSERTION, { scope }), refusal);
}

async function isFencedByTheClock(subject: Subject): Promise<void> {
  const term = await subject.leader.elect({ clientId: "a", ttlMs: TTL }, at(0));
  assert.ok(term);
  assert.notEqual(await insertAs(subject, term, at(15)), null);
  assert.equal(await insertAs(subject, term, at(15.001)), null);
  assert.equal(await subject.countJobs(), 1);
}

/** Each inserts with its term while that ends; how many of these are accepted is a matter of time. */
async function handsOver(subject: Subject): Promise<void> {
  const clients = ["a", "b", "c", "a"];
  const refused: boolean[] = [];
  let expected = 0;
  let term = await subject.lead("first");
  for (const clientId of clients) {
    const before = term;
    const racing = Array.from({ length: 8 }, () => insertAs(subject, before));
    assert.equal(await subject.leader.resign({ term }), true);
    term = await subject.lead(clientId);
    const inserted = await Promise.all(racing);
    expected += inserted.filter((id) => id !== null).length;
    refused.push((await insertAs(subject, before)) === null);
    assert.notEqual(await insertAs(subject, term), null);
    expected += 1;
  }
  assert.deepEqual(refused, [true, true, true, true]);
  assert.equal(await subject.countJobs(), expected);
}

async function rollsBack(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const error = new RangeError("the application's own");
  const passedOn = (thrown: unknown): boolean => thrown === error;
  const payloads = await heard(subject, async () => {
    const failing = async (scope: OwnScope): Promise<never> => {
      await subject.jobs.insert(INSERTION, { scope });
      throw error;
    };
    await assert.rejects(subject.leader.transact({ term, body: failing, ...DEFAULT }), passedOn);
    const idle = subject.leader.transact({ term, body: () => Promise.reject(error), ...DEFAULT });
    await assert.rejects(idle, passedOn);
    const hiding = async (scope: OwnScope): Promise<void> => {
      await subject.jobs.insert(INSERTION, { scope });
      const bad = { ...INSERTION, jobs: [newJob({ priority: 9 })] };
      await assert.rejects(subject.jobs.insert(bad, { scope }), { code: "database" });
    };
    const hidden = subject.leader.transact({ term, body: hiding, ...DEFAULT });
    await assert.rejects(hidden, { code: "database", retryable: false });
  });
  assert.deepEqual(payloads, []);
  assert.equal(await subject.countJobs(), 0);
}

async function isLimited(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const reason = new Error("the term is over");
  const late = Promise.withResolvers<void>();
  for (const inserts of [false, true]) {
    const body = async (scope: OwnScope): Promise<void> => {
      if (inserts) await subject.jobs.insert(INSERTION, { scope });
      await late.promise;
      await subject.jobs.insert(INSERTION, { scope });
    };
    const timed = subject.leader.transact({ term, body, ...DEFAULT }, { timeoutMs: 50 });
    await assert.rejects(timed, inserts ? Error : { code: "database", retryable: true });
    const stop = new AbortController();
    const stopped = subject.leader.transact({ term, body, ...DEFAULT, signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(stopped, (thrown) => thrown === reason);
    await assert.rejects(subject.leader.transact({ term, body, ...DEFAULT, signal: stop.signal }));
    assert.notEqual(await insertAs(subject, term), null);
  }
  late.resolve();
  assert.notEqual(await insertAs(subject, term), null);
  assert.equal(await subject.countJobs(), 3);
}

async function holdsNobodyUp(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const entered = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const body = async (scope: OwnScope): Promise<void> => {
    entered.resolve();
    await going.promise;
    await subject.jobs.insert(INSERTION, { scope });
  };
  const waiting = subject.leader.transact({ term, body, ...DEFAULT });
  await entered.promise;
  assert.ok(await subject.leader.renew({ term, ttlMs: 60_000 }));
  await subject.queues.keepAlive({ name: "q" });
  await subject.add({});
  const job = await subject.claimOne();
  assert.equal((await subject.settle(endOf(job))).outcome, "settled");
  assert.notEqual(await insertAs(subject, term), null);
  const none = { cancelledBefore: null, completedBefore: null, discardedBefore: null, limit: 9 };
  assert.equal(await subject.jobs.deleteFinalized({ term, ...none }), 0);
  going.resolve();
  assert.equal(await waiting, undefined);
  assert.equal(await subject.countJobs(), 3);
}
