/** Notices: delivered after the commit, to those who listen to their topic, from then on, in order. */
import assert from "node:assert/strict";
import {
  cancelNotice,
  insertNotice,
  type InsertJobsParams,
  metadataChangedNotice,
  type Notice,
  requestResignNotice,
  resignedNotice,
} from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { fromNow, longAgo, newJob } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");

export function noticeTests(test: ConformanceTest): void {
  test("notices reach listeners of their topic, in order, and nobody gets history", reachListeners);
  test("a stream that is closed delivers nothing more, and may be closed again", endsWithTheStream);
  test("notices of a transaction arrive at its commit, and never without it", arriveAtTheCommit);
  test("notices sent by another connection arrive", arriveFromOthers);
  test("payloads arrive as they were sent", keepPayloads);
  test("1,000 notices at once all arrive, once", arriveOnce);
  test("sending nothing sends nothing", sendsNothing);
  test("stored notices are deleted by age and limit, oldest first, under the present term only", deletesExpired);
}

function queuesOf(came: readonly { readonly payload: unknown }[]): unknown[] {
  return came.map(({ payload }) => (payload as { readonly queue: unknown }).queue);
}

async function reachListeners(subject: Subject): Promise<void> {
  await subject.send(insertNotice("history"));
  const inserts = await subject.listen("river_insert");
  await subject.send(insertNotice("a"), cancelNotice(1n, "a"));
  const all = await subject.listen("river_insert", "river_control", "river_leadership");
  await subject.send(requestResignNotice(), insertNotice("b"));
  await subject.send(cancelNotice(2n, "c"), MARKER);
  assert.deepEqual(queuesOf(await inserts.until(MARKER)), ["a", "b"]);
  const topics = (await all.until(MARKER)).map(({ topic }) => topic);
  assert.deepEqual(topics, ["river_leadership", "river_insert", "river_control"]);
}

async function endsWithTheStream(subject: Subject): Promise<void> {
  const heard: Notice[] = [];
  const stream = await subject.notices.listen({
    topics: ["river_insert"],
    onNotice: (notice) => heard.push(notice),
    onLost: () => assert.fail("the stream was closed, not lost"),
  });
  await stream.close();
  await stream.close();
  const inbox = await subject.listen("river_insert");
  await subject.send(insertNotice("after"), MARKER);
  assert.deepEqual(queuesOf(await inbox.until(MARKER)), ["after"]);
  assert.deepEqual(heard, []);
}

function insertion(queue: string): InsertJobsParams {
  return { jobs: [newJob()], notices: [insertNotice(queue)], durability: "default" };
}

async function arriveAtTheCommit(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  const aborted = await subject.begin();
  await subject.jobs.insert(insertion("never"), { scope: aborted.scope });
  await subject.notices.send({ notices: [insertNotice("never either")] }, { scope: aborted.scope });
  await aborted.rollback();
  const committed = await subject.begin();
  const scope = { scope: committed.scope };
  await subject.jobs.insert(insertion("one"), scope);
  await subject.notices.send({ notices: [insertNotice("two")] }, scope);
  await committed.commit();
  await subject.send(MARKER);
  assert.deepEqual(queuesOf(await inbox.until(MARKER)), ["one", "two"]);
}

async function arriveFromOthers(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  const session = await subject.openSession();
  await session.notices.send({ notices: [insertNotice("session")] });
  await subject.driver.notices.send({ notices: [MARKER] });
  assert.deepEqual(queuesOf(await inbox.until(MARKER)), ["session"]);
}

async function keepPayloads(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_control", "river_leadership", "river_insert");
  const odd = "'; NOTIFY x; -- é😀 \\ \" {} $1 ?\n";
  const notices = [
    insertNotice(odd),
    cancelNotice(9_007_199_254_740_993n, odd),
    metadataChangedNotice(odd, '{"a":{"b":["x",null]}}'),
    resignedNotice(odd),
    insertNotice("x".repeat(7_900)),
  ];
  await subject.send(...notices);
  await subject.send(MARKER);
  assert.deepEqual(
    await inbox.until(MARKER),
    notices.map(({ topic, payload }) => ({ topic, payload: JSON.parse(payload) as unknown })),
  );
}

async function arriveOnce(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  const sent = Array.from({ length: 1_000 }, (_, index) => `q${index}`);
  await subject.send(...sent.map(insertNotice), MARKER);
  assert.deepEqual(queuesOf(await inbox.until(MARKER)), sent);
}

async function sendsNothing(subject: Subject): Promise<void> {
  const inbox = await subject.listen("river_insert");
  await subject.send();
  await subject.send(MARKER);
  assert.deepEqual(await inbox.until(MARKER), []);
}

async function deletesExpired(subject: Subject): Promise<void> {
  const term = await subject.lead();
  const times = [3, 1, 2].map((seconds) => longAgo().add({ seconds }));
  for (const [index, time] of times.entries()) {
    await subject.raw.query(
      `INSERT INTO river_notification (topic, payload, created_at) VALUES ('river_insert', '${index}', ${subject.raw.time(time)})`,
    );
  }
  const left = async (): Promise<unknown[]> =>
    (await subject.raw.query("SELECT payload FROM river_notification ORDER BY id")).map(({ payload }) => payload);
  const deletion = (before: Temporal.Instant, limit: number): Promise<number | null> =>
    subject.notices.deleteExpired({ term, before, limit });
  assert.equal(await deletion(longAgo(), 9), 0);
  assert.equal(await deletion(fromNow(-60_000), 2), 2);
  assert.deepEqual(await left(), ["0"]);
  await subject.leader.resign({ term });
  assert.equal(await deletion(fromNow(-60_000), 9), null);
  assert.equal((await left())[0], "0");
}
