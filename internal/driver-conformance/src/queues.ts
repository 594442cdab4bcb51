/** The registry of queues: heartbeats, pause and resume, metadata, lists, and the notices of each. */
import assert from "node:assert/strict";
import { sameInstant } from "@riverqueue/internal-test-kit";
import { insertNotice } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { sameJson } from "./exact-json.ts";
import { fromNow, longAgo } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const FIRST = "2030-01-01T00:00:00Z";
const LATER = "2031-01-01T00:00:00Z";

function at(text: string): { readonly now: Temporal.Instant } {
  return { now: Temporal.Instant.from(text) };
}

export function queueTests(test: ConformanceTest): void {
  test("keeping a queue alive creates its row and then changes only updated_at", keepsAlive);
  test("the first pause counts, resume ends it, and each tells every client", pausesAndResumes);
  test("* pauses and resumes every row, and tells every client even without rows", pausesAll);
  test("a queue that is missing is neither paused nor resumed nor updated, and nobody is told", answersMissing);
  test("an update replaces metadata and tells; without metadata it only bumps updated_at", updates);
  test("a change of a queue that is rolled back tells nobody", rollsBack);
  test("queues are listed by name, page by page, and found by many names", lists);
  test("names and metadata of queues are stored as they are", keepsValues);
  test("queues that nobody keeps alive are deleted, by name, under the present term only", deletesExpired);
}

async function payloadsUntilNow(subject: Subject, act: () => Promise<void>): Promise<unknown[]> {
  const inbox = await subject.listen("river_control", "river_insert");
  await act();
  await subject.send(MARKER);
  return (await inbox.until(MARKER)).map(({ payload }) => payload);
}

async function keepsAlive(subject: Subject): Promise<void> {
  const created = await subject.queues.keepAlive({ name: "q1" }, at(FIRST));
  const { now } = at(FIRST);
  assert.deepEqual([created.name, created.metadata, created.pausedAt, created.isPaused], ["q1", "{}", null, false]);
  for (const time of [created.createdAt, created.updatedAt]) sameInstant(time, now);
  await subject.queues.pause({ name: "q1" }, at(FIRST));
  await subject.queues.update({ name: "q1", metadata: '{"a":1}' });
  const kept = await subject.queues.keepAlive({ name: "q1" }, at(LATER));
  const stored = await subject.queues.get({ name: "q1" });
  for (const queue of [kept, stored]) {
    assert.ok(queue);
    sameJson(queue.metadata, '{"a":1}');
    sameInstant(queue.createdAt, FIRST);
    sameInstant(queue.pausedAt, FIRST);
    sameInstant(queue.updatedAt, LATER);
  }
}

async function pausesAndResumes(subject: Subject): Promise<void> {
  await subject.queues.keepAlive({ name: "q1" }, at("2029-01-01T00:00:00Z"));
  const payloads = await payloadsUntilNow(subject, async () => {
    const paused = await subject.queues.pause({ name: "q1" }, at(FIRST));
    const again = await subject.queues.pause({ name: "q1" }, at(LATER));
    for (const queue of [paused, again]) {
      sameInstant(queue?.pausedAt, FIRST);
      sameInstant(queue?.updatedAt, FIRST);
    }
    const resumed = await subject.queues.resume({ name: "q1" }, at(LATER));
    const resumedAgain = await subject.queues.resume({ name: "q1" }, at("2032-01-01T00:00:00Z"));
    for (const queue of [resumed, resumedAgain, await subject.queues.get({ name: "q1" })]) {
      assert.equal(queue?.pausedAt, null);
      sameInstant(queue.updatedAt, LATER);
    }
  });
  const actions = ["pause", "pause", "resume", "resume"];
  assert.deepEqual(
    payloads,
    actions.map((action) => ({ action, queue: "q1" })),
  );
}

async function pausesAll(subject: Subject): Promise<void> {
  const payloads = await payloadsUntilNow(subject, async () => {
    assert.equal(await subject.queues.pause({ name: "*" }), null);
    await subject.queues.keepAlive({ name: "q1" });
    await subject.queues.keepAlive({ name: "q2" });
    await subject.queues.pause({ name: "q1" }, at(FIRST));
    assert.equal(await subject.queues.pause({ name: "*" }, at(LATER)), null);
    sameInstant((await subject.queues.get({ name: "q1" }))?.pausedAt, FIRST);
    sameInstant((await subject.queues.get({ name: "q2" }))?.pausedAt, LATER);
    assert.equal(await subject.queues.resume({ name: "*" }), null);
    for (const name of ["q1", "q2"]) assert.equal((await subject.queues.get({ name }))?.pausedAt, null);
  });
  assert.deepEqual(payloads, [
    { action: "pause", queue: "*" },
    { action: "pause", queue: "q1" },
    { action: "pause", queue: "*" },
    { action: "resume", queue: "*" },
  ]);
}

async function answersMissing(subject: Subject): Promise<void> {
  const payloads = await payloadsUntilNow(subject, async () => {
    assert.equal(await subject.queues.get({ name: "none" }), null);
    assert.equal(await subject.queues.pause({ name: "none" }), null);
    assert.equal(await subject.queues.resume({ name: "none" }), null);
    assert.equal(await subject.queues.update({ name: "none", metadata: "{}" }), null);
    assert.equal(await subject.queues.update({ name: "none", metadata: null }), null);
  });
  assert.deepEqual(payloads, []);
}

async function updates(subject: Subject): Promise<void> {
  await subject.queues.keepAlive({ name: "q1" }, at("2029-01-01T00:00:00Z"));
  const payloads = await payloadsUntilNow(subject, async () => {
    const bumped = await subject.queues.update({ name: "q1", metadata: null }, at(FIRST));
    sameJson(bumped?.metadata, "{}");
    sameInstant(bumped?.updatedAt, FIRST);
    await subject.queues.update({ name: "q1", metadata: '{"a":{"b":1},"c":2}' });
    const replaced = await subject.queues.update({ name: "q1", metadata: '{"a":{"d":null}}' }, at(LATER));
    for (const queue of [replaced, await subject.queues.get({ name: "q1" })]) {
      sameJson(queue?.metadata, '{"a":{"d":null}}');
      sameInstant(queue?.updatedAt, LATER);
    }
  });
  assert.deepEqual(payloads, [
    { action: "metadata_changed", metadata: { a: { b: 1 }, c: 2 }, queue: "q1" },
    { action: "metadata_changed", metadata: { a: { d: null } }, queue: "q1" },
  ]);
}

async function rollsBack(subject: Subject): Promise<void> {
  await subject.queues.keepAlive({ name: "q1" });
  const payloads = await payloadsUntilNow(subject, async () => {
    const { scope, rollback } = await subject.begin();
    assert.ok((await subject.queues.pause({ name: "q1" }, { scope }))?.pausedAt);
    await subject.queues.update({ name: "q1", metadata: '{"a":1}' }, { scope });
    await rollback();
  });
  assert.deepEqual(payloads, []);
  assert.equal((await subject.queues.get({ name: "q1" }))?.pausedAt, null);
}

async function lists(subject: Subject): Promise<void> {
  for (const name of ["c", "a", "d", "b"]) await subject.queues.keepAlive({ name });
  const names = async (after: string | null, limit: number): Promise<string[]> =>
    (await subject.queues.list({ after, limit })).map(({ name }) => name);
  assert.deepEqual(await names(null, 2), ["a", "b"]);
  assert.deepEqual(await names("b", 9), ["c", "d"]);
  assert.deepEqual(await names("bb", 9), ["c", "d"]);
  assert.deepEqual(await names("d", 9), []);
  const many = await subject.queues.getMany({ names: ["d", "x", "a", "d"] });
  assert.deepEqual(
    many.map(({ name }) => name),
    ["a", "d"],
  );
  assert.deepEqual(await subject.queues.getMany({ names: [] }), []);
}

async function keepsValues(subject: Subject): Promise<void> {
  const name = "q 'é\"{},\\ $1 ?";
  const metadata = '{"__proto__":{"x":1},"n":9007199254740993,"s":"\\"\\\\é","":1.50}';
  await subject.queues.keepAlive({ name });
  await subject.queues.update({ name, metadata });
  for (const queue of [await subject.queues.get({ name }), ...(await subject.queues.getMany({ names: [name] }))]) {
    assert.equal(queue?.name, name);
    sameJson(queue.metadata, metadata);
  }
}

async function deletesExpired(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const before = fromNow(-60_000);
  for (const name of ["d", "b", "a", "c"]) await subject.queues.keepAlive({ name }, { now: longAgo() });
  await subject.queues.keepAlive({ name: "b" });
  const left = async (): Promise<string[]> =>
    (await subject.queues.list({ after: null, limit: 9 })).map(({ name }) => name);
  assert.equal(await subject.queues.deleteExpired({ term, before, limit: 2 }), 2);
  assert.deepEqual(await left(), ["b", "d"]);
  assert.equal(await subject.queues.deleteExpired({ term, before: longAgo(), limit: 2 }), 0);
  await subject.leader.resign({ term });
  assert.equal(await subject.queues.deleteExpired({ term, before, limit: 2 }), null);
  assert.deepEqual(await left(), ["b", "d"]);
}
