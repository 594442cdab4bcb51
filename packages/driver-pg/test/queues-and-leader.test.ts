/** The queue registry and the leadership row. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { driverFixture, fromNow, lead } from "./fixture/driver-fixture.ts";
import { heardBy } from "./fixture/heard-by.ts";

failOnLeaks();

const CONTROL = "public.river_control";

test("the first pause counts, resume ends it, and each tells every client", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await driver.queues.keepAlive({ name: "q1" });
  await driver.queues.keepAlive({ name: "q2" });
  const heard = await heardBy(lease);
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
  const told = [
    ["pause", "q1"],
    ["pause", "q1"],
    ["pause", "*"],
    ["resume", "*"],
    ["resume", "q1"],
  ] as const;
  assert.deepEqual(
    await heard(5),
    told.map(([action, queue]) => [CONTROL, `{"action":"${action}","queue":"${queue}"}`]),
  );
});

test("pausing and resuming all queues lock them in one order, so that they cannot deadlock", async (t) => {
  const { driver, lease } = await driverFixture(t);
  // Stored in the other order, in which a scan finds them.
  for (const name of ["q2", "q1"]) await driver.queues.keepAlive({ name });
  for (const verb of ["pause", "resume"] as const) {
    const other = await lease.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM river_queue WHERE name = 'q1' FOR UPDATE");
    const all = driver.queues[verb]({ name: "*" });
    await pollUntil(async () => {
      const [waiting] = await lease.query("SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted");
      return waiting?.["n"] === 1;
    });
    await other.query("SELECT FROM river_queue WHERE name = 'q2' FOR UPDATE");
    await other.query("COMMIT");
    assert.equal(await all, null);
    assert.equal((await driver.queues.get({ name: "q2" }))?.pausedAt === null, verb === "resume");
  }
});

test("update replaces metadata and tells; without metadata it only bumps updated_at", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await driver.queues.keepAlive({ name: "q1" });
  const heard = await heardBy(lease);
  const now = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const bumped = await driver.queues.update({ name: "q1", metadata: null }, { now });
  assert.deepEqual([bumped?.metadata, bumped?.updatedAt.toString()], ["{}", now.toString()]);
  assert.equal((await driver.queues.update({ name: "q1", metadata: '{"a":{"b":1}}' }))?.metadata, '{"a": {"b": 1}}');
  assert.equal(await driver.queues.update({ name: "none", metadata: "{}" }), null);
  const payload = '{"action":"metadata_changed","metadata":{"a":{"b":1}},"queue":"q1"}';
  assert.deepEqual(await heard(1), [[CONTROL, payload]]);
  const tooLarge = `{"a":"${"x".repeat(8_000)}"}`;
  await assert.rejects(driver.queues.update({ name: "q1", metadata: tooLarge }), { code: "database" });
  assert.equal((await driver.queues.get({ name: "q1" }))?.metadata, '{"a": {"b": 1}}');
});

test("a term is won once, renewed exactly, and over when it expires", async (t) => {
  const { driver } = await driverFixture(t);
  const now = Temporal.Instant.from("2030-01-01T00:00:00.123456Z");
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
  const stale = { ...term, electedAt: now.subtract({ microseconds: 1 }) };
  assert.equal(await driver.leader.renew({ term: stale, ttlMs: 15_000 }, at(11)), null);
  assert.equal(await driver.leader.resign({ term: stale }), false);
  assert.equal(await driver.leader.renew({ term, ttlMs: 15_000 }, at(26)), null);
  assert.equal((await driver.leader.current())?.leaderId, "a");
  assert.equal((await driver.leader.elect({ clientId: "b", ttlMs: 15_000 }, at(26)))?.leaderId, "b");
  assert.equal(await driver.leader.resign({ term }), false);
});

test("resigning ends the term and tells every client", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver, "a");
  const heard = await heardBy(lease);
  assert.equal(await driver.leader.resign({ term }), true);
  assert.equal(await driver.leader.resign({ term }), false);
  assert.equal(await driver.leader.current(), null);
  assert.deepEqual(await heard(1), [["public.river_leadership", '{"leader_id" : "a", "action" : "resigned"}']]);
  await lease.query(
    "INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('x', 'infinity', 'infinity')",
  );
  await assert.rejects(driver.leader.current(), { code: "database" });
});

test("a leader that was stopped in the middle of its work does not keep the next one from being elected", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await driver.leader.elect({ clientId: "a", ttlMs: 1 });
  assert.ok(term);
  const stopped = await lease.connect();
  await stopped.query("BEGIN");
  await stopped.query("SELECT * FROM river_leader");
  const next = await driver.leader.elect({ clientId: "b", ttlMs: 15_000 }, { now: fromNow(60_000) });
  assert.equal(next?.leaderId, "b");
  await stopped.query("ROLLBACK");
});
