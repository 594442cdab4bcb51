/** The one row of leadership: a term is won once, prolonged exactly, and over when it expires or is resigned. */
import assert from "node:assert/strict";
import { plain, sameInstant } from "@riverqueue/internal-test-kit";
import { insertNotice } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const TTL = 15_000;

function at(seconds: number): { readonly now: Temporal.Instant } {
  return { now: Temporal.Instant.from("2030-01-01T00:00:00Z").add({ milliseconds: seconds * 1_000 }) };
}

export function leaderTests(test: ConformanceTest): void {
  test("a term is won by one client and lasts for its time", isWonOnce);
  test("of many clients that want a free term one gets it", isWonByOne);
  test("a term is prolonged exactly, by identity, until it expires", isRenewed);
  test("a term by the database's clock is prolonged with the times that the database issued", roundTrips);
  test("resigning ends exactly this term and tells every client", isResigned);
  test("there is no present term before the first, and an expired one is still the stored one", showsTheStoredTerm);
  test("a term that is won or resigned in a transaction is so at its commit", isTransactional);
}

async function isWonOnce(subject: Subject): Promise<void> {
  const { leader } = subject;
  const term = await leader.elect({ clientId: "a", ttlMs: TTL }, at(0));
  assert.ok(term);
  assert.deepEqual(plain({ ...term }), { leaderId: "a", electedAt: plain(at(0).now), expiresAt: plain(at(15).now) });
  assert.equal(await leader.elect({ clientId: "a", ttlMs: TTL }, at(1)), null);
  assert.equal(await leader.elect({ clientId: "b", ttlMs: TTL }, at(15)), null);
  const next = await leader.elect({ clientId: "b", ttlMs: TTL }, at(15.001));
  assert.equal(next?.leaderId, "b");
  sameInstant(next.electedAt, at(15.001).now);
}

async function isWonByOne(subject: Subject): Promise<void> {
  const clients = Array.from({ length: 10 }, (_, index) => `client ${index}`);
  const terms = await Promise.all(clients.map((clientId) => subject.leader.elect({ clientId, ttlMs: 60_000 })));
  const won = terms.filter((term) => term !== null);
  assert.equal(won.length, 1);
  assert.deepEqual(plain({ ...(await subject.leader.current()) }), plain({ ...won[0] }));
}

async function isRenewed(subject: Subject): Promise<void> {
  const { leader } = subject;
  const term = await leader.elect({ clientId: "a", ttlMs: TTL }, at(0));
  assert.ok(term);
  const renewed = await leader.renew({ term, ttlMs: TTL }, at(10));
  assert.deepEqual(plain({ ...renewed }), plain({ ...term, expiresAt: at(25).now }));
  const strangers = [
    { ...term, electedAt: term.electedAt.subtract({ milliseconds: 1 }) },
    { ...term, electedAt: term.electedAt.add({ milliseconds: 1 }) },
    { ...term, leaderId: "A" },
  ];
  for (const stranger of strangers) {
    assert.equal(await leader.renew({ term: stranger, ttlMs: TTL }, at(11)), null);
    assert.equal(await leader.resign({ term: stranger }), false);
  }
  assert.ok(await leader.renew({ term, ttlMs: TTL }, at(25)));
  assert.equal(await leader.renew({ term, ttlMs: TTL }, at(40.001)), null);
  assert.ok(await leader.elect({ clientId: "a", ttlMs: TTL }, at(41)));
  assert.equal(await leader.renew({ term, ttlMs: TTL }, at(42)), null);
}

async function roundTrips(subject: Subject): Promise<void> {
  const term = await subject.lead();
  sameInstant((await subject.leader.current())?.electedAt, term.electedAt);
  for (let times = 0; times < 3; times++) {
    const renewed = await subject.leader.renew({ term, ttlMs: 90_000 });
    sameInstant(renewed?.electedAt, term.electedAt);
    assert.ok(Temporal.Instant.compare(renewed?.expiresAt ?? term.expiresAt, term.expiresAt) > 0);
  }
  assert.equal(await subject.leader.resign({ term }), true);
}

async function isResigned(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_leadership", "river_insert");
  const leaderId = 'c"1\\é';
  const term = await subject.lead(leaderId);
  assert.equal(await subject.leader.resign({ term }), true);
  assert.equal(await subject.leader.current(), null);
  assert.equal(await subject.leader.resign({ term }), false);
  const next = await subject.lead("next");
  assert.equal(await subject.leader.resign({ term }), false);
  assert.equal((await subject.leader.current())?.leaderId, next.leaderId);
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), [
    { topic: "river_leadership", payload: { leader_id: leaderId, action: "resigned" } },
  ]);
}

async function showsTheStoredTerm(subject: Subject): Promise<void> {
  assert.equal(await subject.leader.current(), null);
  await subject.leader.elect({ clientId: "a", ttlMs: TTL }, { now: Temporal.Instant.from("2020-01-01T00:00:00Z") });
  const stored = await subject.leader.current();
  assert.equal(stored?.leaderId, "a");
  sameInstant(stored.expiresAt, "2020-01-01T00:00:15Z");
  assert.equal((await subject.lead("b")).leaderId, "b");
}

async function isTransactional(subject: Subject): Promise<void> {
  const first = await subject.begin();
  const { scope } = first;
  assert.ok(await subject.leader.elect({ clientId: "a", ttlMs: TTL }, { scope }));
  await first.rollback();
  assert.equal(await subject.leader.current(), null);
  const term = await subject.lead();
  const inbox = await subject.listen("river_leadership", "river_insert");
  const second = await subject.begin();
  assert.equal(await subject.leader.resign({ term }, { scope: second.scope }), true);
  await second.rollback();
  assert.equal((await subject.leader.current())?.leaderId, term.leaderId);
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}
