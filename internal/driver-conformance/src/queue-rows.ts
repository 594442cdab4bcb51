/** Rows of queues that somebody damaged or holds: they cost their neighbours nothing, and say which queue they are of. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import { insertNotice, type QueueRecord } from "riverqueue/driver";
import type { QueueDamage } from "./backend-under-test.ts";
import type { ConformanceTest } from "./conformance-test.ts";
import { fromNow, longAgo } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const NEEDS = { needsRowLocks: true };
const GETTER = {
  created_at: "createdAt",
  metadata: "metadata",
  paused_at: "pausedAt",
  updated_at: "updatedAt",
} as const satisfies Readonly<Record<QueueDamage["column"], keyof QueueRecord>>;

export function queueRowTests(test: ConformanceTest): void {
  test("a damaged column of a queue is an error of its row, which names both, when it is read", namesDamage);
  test("a damaged queue is listed, found, kept alive, paused, resumed and updated", worksDamaged);
  test("a damaged time of a pause is a pause", pausesDamaged);
  test("a deletion of queues passes over one that another table refers to, and goes on behind it", deletesOthers);
  test("a queue whose row is held is kept alive without a wait, and told as it is", keepsHeldAlive, NEEDS);
  test("* pauses and resumes the queues whose rows nobody holds at once, and the others later", changesFree, NEEDS);
  test("* gives up on queues whose rows stay held, when the others are done and told", givesUpOnHeld, NEEDS);
  test("* in a transaction of the caller's waits for the rows of all queues", waitsInScope, NEEDS);
  test("a deletion of queues leaves held rows to the next pass", deletesFreeQueues, NEEDS);
  test("a deletion of notices leaves held rows to the next pass", deletesFreeNotices, NEEDS);
}

async function keep(subject: Subject, ...names: readonly string[]): Promise<void> {
  for (const name of names) await subject.queues.keepAlive({ name });
}

/** Runs `body` with each damage of the queue `b`, which stands between two sound ones. */
async function forEachDamage(subject: Subject, body: (damage: QueueDamage) => Promise<void>): Promise<void> {
  for (const damage of subject.raw.queueDamages) {
    await keep(subject, "a", "b", "c");
    await subject.raw.query(`UPDATE river_queue SET ${damage.column} = ${damage.value} WHERE name = 'b'`);
    try {
      await body(damage);
    } catch (error) {
      throw new Error(`with ${damage.what}`, { cause: error });
    }
    await subject.raw.query("DELETE FROM river_queue");
  }
}

async function namesDamage(subject: Subject): Promise<void> {
  await forEachDamage(subject, async ({ column }) => {
    const [a, b, c] = await subject.queues.list({ after: null, limit: 9 });
    assert.ok(a && b && c);
    assert.equal(b.name, "b");
    for (const sound of [a, c]) assert.doesNotThrow(() => plain({ ...fieldsOf(sound) }));
    assert.throws(
      () => b[GETTER[column]],
      (error: Record<string, unknown>) => {
        assert.equal(error["code"], "database");
        assert.match(String(error["message"]), new RegExp(`river_queue\\.${column} of queue "b" cannot be read`));
        assert.equal((error["details"] as Record<string, unknown>)["queue"], "b");
        return true;
      },
    );
  });
}

async function worksDamaged(subject: Subject): Promise<void> {
  await forEachDamage(subject, async () => {
    const name = "b";
    const names = async (): Promise<string[]> =>
      (await subject.queues.getMany({ names: ["a", "b", "c"] })).map((queue) => queue.name);
    assert.deepEqual(await names(), ["a", "b", "c"]);
    assert.equal((await subject.queues.get({ name }))?.name, name);
    assert.equal((await subject.queues.keepAlive({ name })).name, name);
    assert.equal((await subject.queues.pause({ name }))?.isPaused, true);
    assert.equal((await subject.queues.resume({ name }))?.isPaused, false);
    assert.equal(await subject.queues.pause({ name: "*" }), null);
    assert.equal((await subject.queues.update({ name, metadata: '{"a":1}' }))?.isPaused, true);
  });
}

async function pausesDamaged(subject: Subject): Promise<void> {
  await forEachDamage(subject, async ({ column }) => {
    const queues = await subject.queues.list({ after: null, limit: 9 });
    assert.deepEqual(
      queues.map(({ isPaused }) => isPaused),
      [false, column === "paused_at", false],
    );
  });
}

async function deletesOthers(subject: Subject): Promise<void> {
  const term = await subject.lead();
  for (const name of ["a", "b", "c", "d"]) await subject.queues.keepAlive({ name }, { now: longAgo() });
  await subject.raw.query("CREATE TABLE app_queue (name text NOT NULL REFERENCES river_queue (name))");
  await subject.raw.query("INSERT INTO app_queue VALUES ('a'), ('c')");
  const known: string[] = [];
  const refusals = { known, note: (name: string) => void known.push(name) };
  const remove = (): Promise<number | null> =>
    subject.queues.deleteExpired({ term, before: fromNow(-60_000), limit: 3, refusals });
  const left = async (): Promise<string[]> =>
    (await subject.queues.list({ after: null, limit: 9 })).map(({ name }) => name);
  assert.equal(await remove(), 2);
  assert.deepEqual(
    [await left(), known],
    [
      ["a", "c"],
      ["a", "c"],
    ],
  );
  assert.equal(await remove(), 0);
  assert.equal(known.length, 2);
  await subject.raw.query("DELETE FROM app_queue");
  known.length = 0;
  assert.equal(await remove(), 2);
  await subject.leader.resign({ term });
  known.push("x");
  assert.equal(await remove(), null);
}

/** Fields of a record, which may be getters. */
function fieldsOf({ name, metadata, createdAt, updatedAt, pausedAt }: QueueRecord): object {
  return { name, metadata, createdAt, updatedAt, pausedAt };
}

async function paused(subject: Subject): Promise<string[]> {
  const queues = await subject.queues.list({ after: null, limit: 9 });
  return queues.flatMap(({ name, isPaused }) => (isPaused ? [name] : []));
}

async function keepsHeldAlive(subject: Subject): Promise<void> {
  await subject.queues.keepAlive({ name: "b" }, { now: longAgo() });
  await subject.queues.pause({ name: "b" }, { now: longAgo() });
  const holder = await subject.begin();
  await holder.lockRows("river_queue", "name = 'b'");
  const held = await subject.queues.keepAlive({ name: "b" });
  assert.deepEqual([held.name, held.isPaused, held.updatedAt.toString()], ["b", true, longAgo().toString()]);
  await holder.rollback();
  const now = fromNow(0);
  assert.equal((await subject.queues.keepAlive({ name: "b" }, { now })).updatedAt.toString(), now.toString());
}

async function changesFree(subject: Subject): Promise<void> {
  await keep(subject, "a", "b", "c");
  const inbox = await subject.listen("river_control", "river_insert");
  for (const [verb, done, all] of [
    ["pause", ["a", "c"], ["a", "b", "c"]],
    ["resume", ["b"], []],
  ] as const) {
    const holder = await subject.begin();
    await holder.lockRows("river_queue", "name = 'b'");
    const change = subject.queues[verb]({ name: "*" });
    // The others are done when everybody is told.
    await inbox.next();
    assert.deepEqual(await paused(subject), done);
    await holder.rollback();
    assert.equal(await change, null);
    assert.deepEqual(await paused(subject), all);
    await inbox.next();
  }
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}

async function givesUpOnHeld(subject: Subject): Promise<void> {
  await keep(subject, "a", "b", "c");
  const inbox = await subject.listen("river_control", "river_insert");
  const holder = await subject.begin();
  await holder.lockRows("river_queue", "name = 'b'");
  await assert.rejects(subject.queues.pause({ name: "*" }, { timeoutMs: 100 }), {
    code: "database",
    retryable: true,
    message: /another session holds the rows of one queue/,
  });
  assert.deepEqual(await paused(subject), ["a", "c"]);
  await subject.send(MARKER);
  assert.deepEqual(
    (await inbox.until(MARKER)).map(({ payload }) => payload),
    [{ action: "pause", queue: "*" }],
  );
  await holder.rollback();
}

async function waitsInScope(subject: Subject): Promise<void> {
  await keep(subject, "a", "b", "c");
  const holder = await subject.begin();
  await holder.lockRows("river_queue", "name = 'b'");
  const { scope, commit } = await subject.begin();
  const change = subject.queues.pause({ name: "*" }, { scope });
  await holder.rollback();
  assert.equal(await change, null);
  await commit();
  assert.deepEqual(await paused(subject), ["a", "b", "c"]);
}

async function deletesFreeQueues(subject: Subject): Promise<void> {
  const term = await subject.lead();
  for (const name of ["a", "b", "c", "d"]) await subject.queues.keepAlive({ name }, { now: longAgo() });
  const holder = await subject.begin();
  await holder.lockRows("river_queue", "name IN ('a', 'c')");
  const remove = (): Promise<number | null> =>
    subject.queues.deleteExpired({ term, before: fromNow(-60_000), limit: 2 });
  assert.equal(await remove(), 2);
  assert.deepEqual(
    (await subject.queues.list({ after: null, limit: 9 })).map(({ name }) => name),
    ["a", "c"],
  );
  await holder.rollback();
  assert.equal(await remove(), 2);
}

async function deletesFreeNotices(subject: Subject): Promise<void> {
  const term = await subject.lead();
  for (const payload of ["a", "b", "c", "d"]) {
    await subject.raw.query(
      `INSERT INTO river_notification (topic, payload, created_at) VALUES ('river_insert', '${payload}', ${subject.raw.time(longAgo())})`,
    );
  }
  const holder = await subject.begin();
  await holder.lockRows("river_notification", "payload IN ('a', 'c')");
  const remove = (): Promise<number | null> =>
    subject.notices.deleteExpired({ term, before: fromNow(-60_000), limit: 2 });
  assert.equal(await remove(), 2);
  assert.deepEqual(
    (await subject.raw.query("SELECT payload FROM river_notification ORDER BY id")).map(({ payload }) => payload),
    ["a", "c"],
  );
  await holder.rollback();
  assert.equal(await remove(), 2);
}
