/** Notices: delivered after the commit, to those who listen, from then on. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createMigrator } from "@riverqueue/migrate";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { spawnNode, waitForItem } from "@riverqueue/internal-test-kit";
import { insertNotice, type Notice, type NoticeTopic } from "riverqueue/driver";
import { driverFixture, fromNow, insertOne, lead, newJob } from "./fixture/driver-fixture.ts";

interface Inbox {
  readonly notices: AsyncIterable<Notice>;
  readonly lost: Promise<unknown>;
  close(): Promise<void>;
}

async function listen(driver: SqliteDriver, ...topics: NoticeTopic[]): Promise<Inbox> {
  const lost = Promise.withResolvers<unknown>();
  let controller: ReadableStreamDefaultController<Notice> | undefined;
  const notices = new ReadableStream<Notice>({ start: (own) => void (controller = own) });
  const stream = await driver.notices.listen({
    topics,
    onNotice: (notice) => controller?.enqueue(notice),
    onLost: (error) => lost.resolve(error),
  });
  return { notices: notices.values({ preventCancel: true }), lost: lost.promise, close: () => stream.close() };
}

/** The payloads up to and including `marker`. */
async function payloadsUntil(inbox: Inbox, marker: string): Promise<string[]> {
  const payloads: string[] = [];
  await waitForItem(inbox.notices, ({ payload }) => payloads.push(payload) > 0 && payload === marker);
  return payloads;
}

function send(driver: SqliteDriver, ...notices: Notice[]): Promise<void> {
  return driver.notices.send({ notices });
}

const MARKER = insertNotice("marker");

async function closing(t: TestContext, inbox: Inbox): Promise<Inbox> {
  t.after(() => inbox.close());
  return inbox;
}

test("notices of other connections and of the application's transactions arrive at their commit", async (t) => {
  const { driver, database, lease } = await driverFixture(t);
  const inbox = await closing(t, await listen(driver, "river_insert"));
  const insertAndNotify = { jobs: [newJob()], notices: [insertNotice("tx")], durability: "default" } as const;
  await transaction(database, (tx) => driver.jobs.insert(insertAndNotify, { scope: { owner: "caller", tx } }));
  await payloadsUntil(inbox, insertNotice("tx").payload);
  const aborted = transaction(database, async (tx) => {
    await driver.jobs.insert(
      { ...insertAndNotify, notices: [insertNotice("never")] },
      { scope: { owner: "caller", tx } },
    );
    throw new Error("boom");
  });
  await assert.rejects(aborted);
  const other = lease.open();
  other.prepare("INSERT INTO river_notification (topic, payload) VALUES ('river_insert', ?)").run(MARKER.payload);
  assert.deepEqual(await payloadsUntil(inbox, MARKER.payload), [MARKER.payload]);
});

test("a closed stream delivers nothing more, and the next one starts anew", async (t) => {
  const { driver } = await driverFixture(t);
  const closed: Notice[] = [];
  const stream = await driver.notices.listen({
    topics: ["river_insert"],
    onNotice: (notice) => closed.push(notice),
    onLost: () => undefined,
  });
  await stream.close();
  await stream.close();
  await send(driver, insertNotice("missed"));
  const inbox = await closing(t, await listen(driver, "river_insert"));
  await send(driver, MARKER);
  assert.deepEqual(await payloadsUntil(inbox, MARKER.payload), [MARKER.payload]);
  assert.deepEqual(closed, []);
});

test("a stream is lost when the outbox cannot be read any more, and may be opened again", async (t) => {
  const { driver, database } = await driverFixture(t);
  const inbox = await listen(driver, "river_insert");
  database.exec("ALTER TABLE river_notification RENAME TO elsewhere");
  assert.equal(((await inbox.lost) as { code?: unknown }).code, "database");
  await inbox.close();
  await assert.rejects(listen(driver, "river_insert"), { code: "database" });
  database.exec("ALTER TABLE elsewhere RENAME TO river_notification");
  const again = await closing(t, await listen(driver, "river_insert"));
  await send(driver, MARKER);
  await payloadsUntil(again, MARKER.payload);
});

test("old notices are deleted, oldest first, and those that follow still arrive", async (t) => {
  const { driver, database } = await driverFixture(t);
  const inbox = await closing(t, await listen(driver, "river_insert"));
  const term = await lead(driver);
  await send(driver, insertNotice("a"), insertNotice("b"), insertNotice("c"));
  await payloadsUntil(inbox, insertNotice("c").payload);
  assert.equal(await driver.notices.deleteExpired({ term, before: fromNow(-60_000), limit: 9 }), 0);
  assert.equal(await driver.notices.deleteExpired({ term, before: fromNow(60_000), limit: 2 }), 2);
  assert.equal(await driver.notices.deleteExpired({ term, before: fromNow(60_000), limit: 2 }), 1);
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_notification").get()?.["n"], 0);
  await send(driver, MARKER);
  await payloadsUntil(inbox, MARKER.payload);
});

test("notices travel between the connections of a memory database", async (t) => {
  using driver = SqliteDriver.memory();
  await createMigrator(driver).migrateUp();
  const handle = driver.connect();
  t.after(() => handle.close());
  const inbox = await listen(driver, "river_insert");
  await send(driver, insertNotice("own"));
  await payloadsUntil(inbox, insertNotice("own").payload);
  const notices = [MARKER];
  await transaction(handle, (tx) => driver.notices.send({ notices }, { scope: { owner: "caller", tx } }));
  await payloadsUntil(inbox, MARKER.payload);
  await inbox.close();
});

test("listening keeps no process alive", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insertOne(driver);
  const child = spawnNode(t, new URL("./testdata/listen-and-end.ts", import.meta.url), [lease.path]);
  child.endInput();
  assert.deepEqual(await child.next(), "listening");
  assert.deepEqual(await child.exit(), { code: 0, signal: null });
});

test("notices are stored word for word as other clients send them", async (t) => {
  const { driver, database } = await driverFixture(t);
  const { id } = await insertOne(driver);
  await driver.queues.keepAlive({ name: "q1" });
  await driver.jobs.cancel({ id, requestedAt: fromNow(0) });
  await driver.queues.pause({ name: "q1" });
  await driver.queues.resume({ name: "*" });
  await driver.queues.update({ name: "q1", metadata: '{"a":{"b":1}}' });
  await driver.leader.resign({ term: await lead(driver, "a") });
  const rows = database.prepare("SELECT topic, payload FROM river_notification ORDER BY id").all();
  assert.deepEqual(
    rows.map(({ topic, payload }) => [topic, payload]),
    [
      ["river_control", `{"action":"cancel","job_id":${id},"queue":"default"}`],
      ["river_control", '{"action":"pause","queue":"q1"}'],
      ["river_control", '{"action":"resume","queue":"*"}'],
      ["river_control", '{"action":"metadata_changed","metadata":{"a":{"b":1}},"queue":"q1"}'],
      ["river_leadership", '{"leader_id":"a","action":"resigned"}'],
    ],
  );
});
