/** The queue registry and the leadership row. */
import assert from "node:assert/strict";
import test from "node:test";
import { claimOne, driverFixture, endOf, fromNow, insert, insertOne, lead, settle } from "./fixture/driver-fixture.ts";

function controlText(action: string, queue: string): string {
  return `{"action":"${action}","queue":"${queue}"}`;
}

test("keeping a queue alive creates its row and then changes only updated_at", async (t) => {
  const { driver } = await driverFixture(t);
  const created = await driver.queues.keepAlive({ name: "q1" }, { now: Temporal.Instant.from("2026-01-01T00:00:00Z") });
  assert.equal(created.metadata, "{}");
  await driver.queues.pause({ name: "q1" });
  await driver.queues.update({ name: "q1", metadata: '{"a":1}' });
  const now = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const kept = await driver.queues.keepAlive({ name: "q1" }, { now });
  assert.equal(kept.createdAt.toString(), created.createdAt.toString());
  assert.deepEqual([kept.metadata, kept.updatedAt.toString()], ['{"a":1}', now.toString()]);
  assert.ok(kept.pausedAt);
});

test("the first pause counts, resume ends it, and each tells every client", async (t) => {
  const { driver, database } = await driverFixture(t);
  await driver.queues.keepAlive({ name: "q1" });
  await driver.queues.keepAlive({ name: "q2" });
  const first = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const later = Temporal.Instant.from("2031-01-01T00:00:00Z");
  assert.equal((await driver.queues.pause({ name: "q1" }, { now: first }))?.pausedAt?.toString(), first.toString());
  const again = await driver.queues.pause({ name: "q1" }, { now: later });
  assert.deepEqual([again?.pausedAt?.toString(), again?.updatedAt.toString()], [first.toString(), first.toString()]);
  assert.equal(await driver.queues.pause({ name: "*" }), null);
  assert.ok((await driver.queues.get({ name: "q2" }))?.pausedAt);
  assert.equal(await driver.queues.resume({ name: "*" }, { now: later }), null);
  const resumed = await driver.queues.resume({ name: "q1" });
  assert.deepEqual([resumed?.pausedAt, resumed?.updatedAt.toString()], [null, later.toString()]);
  assert.equal(await driver.queues.pause({ name: "none" }), null);
  assert.equal(await driver.queues.resume({ name: "none" }), null);
  const payloads = database
    .prepare("SELECT payload FROM river_notification ORDER BY id")
    .all()
    .map(({ payload }) => payload);
  assert.deepEqual(payloads, [
    controlText("pause", "q1"),
    controlText("pause", "q1"),
    controlText("pause", "*"),
    controlText("resume", "*"),
    controlText("resume", "q1"),
  ]);
});

test("update replaces metadata and tells; without metadata it only bumps updated_at", async (t) => {
  const { driver, database } = await driverFixture(t);
  await driver.queues.keepAlive({ name: "q1" });
  const now = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const bumped = await driver.queues.update({ name: "q1", metadata: null }, { now });
  assert.deepEqual([bumped?.metadata, bumped?.updatedAt.toString()], ["{}", now.toString()]);
  assert.equal((await driver.queues.update({ name: "q1", metadata: '{"a":{"b":1}}' }))?.metadata, '{"a":{"b":1}}');
  assert.equal(await driver.queues.update({ name: "none", metadata: "{}" }), null);
  const payloads = database
    .prepare("SELECT payload FROM river_notification")
    .all()
    .map(({ payload }) => payload);
  assert.deepEqual(payloads, ['{"action":"metadata_changed","metadata":{"a":{"b":1}},"queue":"q1"}']);
});

test("queues are read by name, in pages, and deleted when nobody keeps them alive", async (t) => {
  const { driver } = await driverFixture(t);
  const term = await lead(driver);
  for (const name of ["c", "a", "b"])
    await driver.queues.keepAlive({ name }, { now: Temporal.Instant.from("2020-01-01T00:00:00Z") });
  const names = async (after: string | null, limit: number): Promise<string[]> =>
    (await driver.queues.list({ after, limit })).map(({ name }) => name);
  assert.deepEqual(await names(null, 2), ["a", "b"]);
  assert.deepEqual(await names("b", 2), ["c"]);
  assert.deepEqual(
    (await driver.queues.getMany({ names: ["c", "x", "a"] })).map(({ name }) => name),
    ["a", "c"],
  );
  assert.equal(await driver.queues.get({ name: "x" }), null);
  await driver.queues.keepAlive({ name: "a" });
  assert.equal(await driver.queues.deleteExpired({ term, before: fromNow(-60_000), limit: 1 }), 1);
  assert.deepEqual(await names(null, 9), ["a", "c"]);
});

test("damaged queue rows are refused by column", async (t) => {
  const { driver, database } = await driverFixture(t);
  await driver.queues.keepAlive({ name: "q1" });
  for (const column of ["metadata", "updated_at"]) {
    database.exec(`UPDATE river_queue SET ${column} = 'garbage'`);
    await assert.rejects(driver.queues.get({ name: "q1" }), {
      code: "database",
      message: new RegExp(`river_queue\\.${column} `),
    });
    database.exec("UPDATE river_queue SET metadata = jsonb('{}')");
  }
});

test("a term is won once, renewed exactly, and over when it expires", async (t) => {
  const { driver } = await driverFixture(t);
  const now = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const at = (seconds: number): { readonly now: Temporal.Instant } => ({ now: now.add({ seconds }) });
  const term = await driver.leader.elect({ clientId: "a", ttlMs: 15_000 }, at(0));
  assert.ok(term);
  assert.deepEqual(
    [term.leaderId, term.electedAt.toString(), term.expiresAt.toString()],
    ["a", now.toString(), at(15).now.toString()],
  );
  assert.equal(await driver.leader.elect({ clientId: "a", ttlMs: 15_000 }, at(1)), null);
  assert.equal(await driver.leader.elect({ clientId: "b", ttlMs: 15_000 }, at(15)), null);
  const renewed = await driver.leader.renew({ term, ttlMs: 15_000 }, at(10));
  assert.deepEqual(
    [renewed?.electedAt.toString(), renewed?.expiresAt.toString()],
    [now.toString(), at(25).now.toString()],
  );
  const stale = { ...term, electedAt: now.subtract({ milliseconds: 1 }) };
  assert.equal(await driver.leader.renew({ term: stale, ttlMs: 15_000 }, at(11)), null);
  assert.equal(await driver.leader.resign({ term: stale }), false);
  assert.equal(await driver.leader.renew({ term, ttlMs: 15_000 }, at(26)), null);
  assert.equal((await driver.leader.current())?.leaderId, "a");
  assert.equal((await driver.leader.elect({ clientId: "b", ttlMs: 15_000 }, at(26)))?.leaderId, "b");
  assert.equal(await driver.leader.resign({ term }), false);
});

test("a term elected by an older client, with fewer digits, is renewed all the same", async (t) => {
  const { driver, database } = await driverFixture(t);
  database.exec(
    "INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('go', '2030-01-01 00:00:00.5', '2099-01-01 00:00:00.000')",
  );
  const term = await driver.leader.current();
  assert.equal(term?.electedAt.toString(), "2030-01-01T00:00:00.5Z");
  assert.ok(await driver.leader.renew({ term, ttlMs: 15_000 }));
});

test("resigning ends the term and tells every client", async (t) => {
  const { driver, database } = await driverFixture(t);
  const term = await lead(driver, "a");
  assert.equal(await driver.leader.resign({ term }), true);
  assert.equal(await driver.leader.current(), null);
  assert.deepEqual(
    database
      .prepare("SELECT topic, payload FROM river_notification")
      .all()
      .map((row) => ({ ...row })),
    [{ topic: "river_leadership", payload: '{"leader_id":"a","action":"resigned"}' }],
  );
  database.exec("INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('x', 'garbage', 'garbage')");
  await assert.rejects(driver.leader.current(), { code: "database" });
});

test("inspection counts up to its cap", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {}, {}, { queue: "q2", priority: 3 }, { scheduledAt: fromNow(60_000) });
  await settle(driver, endOf(await claimOne(driver)));
  await claimOne(driver, "client-2");
  await driver.queues.keepAlive({ name: "empty" });
  const bounds = { cap: 2, timeoutMs: 5_000 };
  const counts = Object.fromEntries(
    (await driver.inspect.counts(bounds)).map(({ state, count, about }) => [state, [count, about]]),
  );
  assert.deepEqual(
    [counts["available"], counts["running"], counts["completed"], counts["pending"]],
    [
      [2, true],
      [1, false],
      [1, false],
      [0, false],
    ],
  );
  const queues = await driver.inspect.queues({ ...bounds, limit: 9 });
  assert.deepEqual(
    queues.map(({ queue, available, running, about }) => [queue, available, running, about]),
    [
      ["default", 1, 1, false],
      ["empty", 0, 0, false],
      ["q2", 1, 0, false],
    ],
  );
  assert.deepEqual(
    queues.map(({ oldestScheduledAt }) => oldestScheduledAt !== null),
    [true, false, true],
  );
  assert.deepEqual(
    (await driver.inspect.queues({ ...bounds, limit: 2 })).map(({ queue }) => queue),
    ["default", "empty"],
  );
  const minutes = await driver.inspect.throughput({ ...bounds, minutes: 3 });
  assert.equal(minutes.length, 3);
  assert.equal(
    minutes.reduce((sum, { completed }) => sum + completed, 0),
    1,
  );
  assert.deepEqual(await driver.inspect.clients({ ...bounds, limit: 9 }), [{ clientId: "client-2", running: 1 }]);
  await assert.rejects(driver.inspect.counts({ cap: 2, timeoutMs: 0 }), { code: "database", retryable: true });
});

test("extension statements run in order as one unit, rows by column name", async (t) => {
  const { driver } = await driverFixture(t);
  const table = driver.extension.tableName('fle"et');
  assert.equal(table, '"fle""et"');
  const [created, inserted, read] = await driver.extension.run([
    { text: `CREATE TABLE ${table} (n integer, big integer, t text)`, values: [] },
    { text: `INSERT INTO ${table} VALUES (?, ?, ?), (2, 2, 'b')`, values: [1, 9007199254740993n, null] },
    { text: `SELECT n, big, t FROM ${table} ORDER BY n`, values: [] },
  ]);
  assert.deepEqual([created?.changes, inserted?.changes, read?.changes], [0, 2, 0]);
  assert.deepEqual(read?.rows, [
    { n: 1, big: 9007199254740993n, t: null },
    { n: 2, big: 2, t: "b" },
  ]);
  const failing = driver.extension.run([
    { text: `DELETE FROM ${table}`, values: [] },
    { text: "SELECT * FROM none", values: [] },
  ]);
  await assert.rejects(failing, { code: "database" });
  assert.equal((await driver.extension.run([{ text: `SELECT n FROM ${table}`, values: [] }]))[0]?.rows.length, 2);
});

test("indexes are found and rebuilt; there are never left-overs", async (t) => {
  const { driver } = await driverFixture(t);
  const names = ["river_job_args_index", "river_job_kind", "river_job_unique_idx"];
  assert.deepEqual(await driver.indexes.existing({ names }), names.slice(1));
  const { signal } = new AbortController();
  await driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: null, signal });
  await assert.rejects(driver.indexes.rebuild({ index: "none", timeoutMs: 1_000, signal }), { code: "database" });
  await assert.rejects(
    driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: 1_000, signal: AbortSignal.abort() }),
  );
  assert.deepEqual(await driver.indexes.artifacts({ index: "river_job_kind" }), []);
  await driver.indexes.dropArtifacts({ index: "river_job_kind", timeoutMs: 1_000 });
  await insertOne(driver);
});
