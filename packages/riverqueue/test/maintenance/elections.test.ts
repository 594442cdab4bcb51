/** Elections on a real database: bids, renewals, resignations, hand-overs. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  failOnLeaks,
  leaseSqliteDatabase,
  type LeasedSqliteDatabase,
  ManualClock,
} from "@riverqueue/internal-test-kit";
import { requestResignNotice } from "../../src/driver/notice.ts";
import { FreezableClock } from "./testdata/freezable-clock.ts";
import { storedTime } from "./testdata/insert-jobs.ts";
import {
  advanceBy,
  advanceUntil,
  type LeadingClient,
  type LeadingClientOptions,
  makeLeadingClient,
  settle,
  waitForKind,
} from "./testdata/leading-client.ts";

failOnLeaks();

interface World {
  readonly clock: ManualClock;
  readonly database: LeasedSqliteDatabase;
  readonly make: (clientId: string, options?: Partial<LeadingClientOptions>) => LeadingClient;
  /** The stored term: leader and whether it is alive by the manual clock. */
  readonly leaderRow: () => { leader_id: string; elected_at: string; expires_at: string } | undefined;
}

async function makeWorld(t: TestContext): Promise<World> {
  const clock = new ManualClock();
  const database = await leaseSqliteDatabase(t);
  const handle = database.open();
  return {
    clock,
    database,
    make: (clientId, options) => makeLeadingClient(t, database, { clientId, clock, databaseClock: clock, ...options }),
    leaderRow: () => handle.prepare("SELECT leader_id, elected_at, expires_at FROM river_leader").get() as never,
  };
}

const acquired =
  (client: LeadingClient, count = 1) =>
  () =>
    client.eventsOf("leader_acquired").length >= count;
const lost =
  (client: LeadingClient, count = 1) =>
  () =>
    client.eventsOf("leader_lost").length >= count;

test("a client bids at once, leads, and renews its lease", async (t) => {
  const { clock, make, leaderRow } = await makeWorld(t);
  const client = make("one");
  assert.deepEqual(client.leadership.diagnostics.isLeader, false);
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client), { limitMs: 0 });
  const { isLeader, leader, lastError } = client.leadership.diagnostics;
  assert.deepEqual([isLeader, leader?.leaderId, lastError], [true, "one", null]);
  const first = leaderRow();
  assert.ok(first);
  assert.equal(Date.parse(`${first.expires_at}Z`.replace(" ", "T")) - clock.now().epochMilliseconds, 15_000);
  await advanceBy(clock, [client], 60_000);
  assert.ok(client.leadership.diagnostics.isLeader);
  assert.equal(leaderRow()?.elected_at, first.elected_at);
  assert.equal(client.events.filter((event) => event.kind.startsWith("leader_")).length, 1);
});

test("a follower takes over within one interval and a second once the leader has resigned", async (t) => {
  const { clock, make } = await makeWorld(t);
  const [one, two] = [make("one"), make("two", { random: () => 0.999 })];
  one.leadership.start();
  await advanceUntil(clock, [one], acquired(one));
  two.leadership.start();
  await advanceBy(clock, [one, two], 20_000);
  assert.equal(two.eventsOf("leader_acquired").length, 0);
  await one.leadership.stop();
  await advanceUntil(clock, [two], acquired(two), { limitMs: 6000 });
  assert.equal(one.eventsOf("leader_lost").length, 1);
});

test("JS-09: a notice of the resignation brings the follower's bid forward", async (t) => {
  const database = await leaseSqliteDatabase(t);
  const maintenance = { electionInterval: { hours: 1 } };
  const one = makeLeadingClient(t, database, { clientId: "one", maintenance });
  const two = makeLeadingClient(t, database, { clientId: "two", maintenance });
  one.leadership.start();
  await waitForKind(one, "leader_acquired");
  await two.listen();
  two.leadership.start();
  await settle([one, two]);
  await one.leadership.stop();
  await waitForKind(two, "leader_acquired");
});

test("a stopped client resigns and never bids again", async (t) => {
  const { clock, make, leaderRow } = await makeWorld(t);
  const client = make("one");
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client));
  await client.leadership.stop();
  assert.equal(leaderRow(), undefined);
  assert.equal(client.leadership.diagnostics.isLeader, false);
  client.leadership.onStreamRestored();
  await advanceBy(clock, [client], 30_000);
  assert.equal(leaderRow(), undefined);
  assert.equal(clock.pending, 0);
});

test("a stop during the first bid leaves no term behind", async (t) => {
  const { clock, make, leaderRow } = await makeWorld(t);
  const client = make("one");
  client.leadership.start();
  await client.leadership.stop();
  assert.equal(leaderRow(), undefined);
  assert.deepEqual(client.events, []);
  assert.equal(clock.pending, 0);
});

test("stopping ends also while the database is locked, after three tries to resign", async (t) => {
  const { clock, make, database } = await makeWorld(t);
  const client = make("one", { busyTimeoutMs: 10 });
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client));
  await advanceBy(clock, [client], 1000);
  database.open().exec("BEGIN IMMEDIATE");
  let stopped = false;
  void client.leadership.stop().then(() => (stopped = true));
  await advanceUntil(clock, [client], () => stopped);
  const tries = client.logs.filter(({ message }) => message === "resigning leadership failed");
  assert.deepEqual(
    tries.map(({ level }) => level),
    ["warn", "warn", "warn"],
  );
  assert.match(client.leadership.diagnostics.lastError ?? "", /lock|busy/i);
});

test("a request to resign ends the term; others come first, and without others the client leads again", async (t) => {
  const { clock, make } = await makeWorld(t);
  const client = make("one");
  client.leadership.onNotice(requestResignNotice());
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client));
  client.leadership.onNotice(requestResignNotice());
  assert.equal(client.eventsOf("leader_lost").length, 1);
  await advanceUntil(clock, [client], acquired(client, 2), { limitMs: 1000 });
  const [first, second] = client.eventsOf("leader_acquired");
  assert.ok(first && second && !first.leader.electedAt.equals(second.leader.electedAt));
  client.leadership.requestResignation();
  await advanceUntil(clock, [client], acquired(client, 3), { limitMs: 1000 });
});

test("a request sent through the database makes the leader resign, and the follower leads next", async (t) => {
  const database = await leaseSqliteDatabase(t);
  const one = makeLeadingClient(t, database, { clientId: "one" });
  const two = makeLeadingClient(t, database, { clientId: "two" });
  await one.listen();
  await two.listen();
  one.leadership.start();
  await waitForKind(one, "leader_acquired");
  two.leadership.start();
  await settle([two]);
  await two.driver.notices.send({ notices: [requestResignNotice()] });
  await waitForKind(one, "leader_lost");
  await waitForKind(two, "leader_acquired");
});

test("JS-71: after a failed bid the next comes sooner than the usual interval", async (t) => {
  const { clock, make, database } = await makeWorld(t);
  const lock = database.open();
  lock.exec("BEGIN IMMEDIATE");
  const client = make("one", { busyTimeoutMs: 5 });
  client.leadership.start();
  await advanceUntil(clock, [client], () => client.logs.length >= 3, { limitMs: 5000 });
  assert.ok(
    client.logs.every(({ level, message }) => level === "warn" && message.startsWith("a bid for leadership failed")),
  );
  assert.notEqual(client.leadership.diagnostics.lastError, null);
  lock.exec("ROLLBACK");
  await advanceUntil(clock, [client], acquired(client), { limitMs: 2750 });
  assert.equal(client.leadership.diagnostics.lastError, null);
});

test("a leader that cannot renew trusts its term for 14 s after the last renewal, and no longer", async (t) => {
  const { clock, make, database } = await makeWorld(t);
  const client = make("one", { busyTimeoutMs: 5 });
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client));
  await advanceBy(clock, [client], 5000);
  const lock = database.open();
  lock.exec("BEGIN IMMEDIATE");
  await advanceBy(clock, [client], 13_900);
  assert.equal(client.leadership.diagnostics.isLeader, true);
  await advanceBy(clock, [client], 200);
  assert.equal(client.leadership.diagnostics.isLeader, false);
  assert.equal(client.eventsOf("leader_lost").length, 1);
  lock.exec("ROLLBACK");
  await advanceUntil(clock, [client], acquired(client, 2), { limitMs: 30_000 });
});

test("C26: the leadership row deleted by hand ends the term quietly within one interval", async (t) => {
  const { clock, make, database } = await makeWorld(t);
  const client = make("one");
  client.leadership.start();
  await advanceUntil(clock, [client], acquired(client));
  await advanceBy(clock, [client], 7000);
  database.open().exec("DELETE FROM river_leader");
  await advanceUntil(clock, [client], lost(client), { limitMs: 5000 });
  await advanceUntil(clock, [client], acquired(client, 2), { limitMs: 6000 });
  assert.ok(client.logs.every(({ level }) => level === "info"));
  assert.equal(client.eventsOf("maintenance_failed").length, 0);
});

test("C26: of two clients with the same ID one leads, and neither adopts the other's term", async (t) => {
  const { clock, make } = await makeWorld(t);
  const twins = [make("twin"), make("twin")];
  const [one, two] = twins as [LeadingClient, LeadingClient];
  one.leadership.start();
  await advanceUntil(clock, twins, acquired(one));
  two.leadership.start();
  await advanceBy(clock, twins, 60_000);
  assert.equal(two.eventsOf("leader_acquired").length, 0);
  one.leadership.requestResignation();
  await advanceUntil(clock, twins, () => acquired(one, 2)() || acquired(two)());
  assert.notEqual(one.leadership.diagnostics.isLeader, two.leadership.diagnostics.isLeader);
  await one.leadership.stop();
  await advanceUntil(clock, [two], () => two.leadership.diagnostics.isLeader);
});

test("C26: a process that slept past its term does nothing for it when it wakes", async (t) => {
  const { clock, make, leaderRow } = await makeWorld(t);
  const frozen = new FreezableClock(clock);
  const one = make("one", { clock: frozen });
  const two = make("two");
  one.leadership.start();
  await advanceUntil(clock, [one], acquired(one));
  two.leadership.start();
  await advanceBy(clock, [one, two], 3000);
  const runs = one.leadership.diagnostics.runs.scheduler;
  frozen.freeze();
  await advanceUntil(clock, [two], acquired(two), { limitMs: 21_000 });
  await advanceBy(clock, [two], 10_000);
  assert.equal(one.leadership.diagnostics.isLeader, false);
  frozen.thaw();
  await advanceBy(clock, [one, two], 10_000);
  assert.equal(one.eventsOf("leader_lost").length, 1);
  assert.equal(one.leadership.diagnostics.runs.scheduler, runs);
  assert.equal(leaderRow()?.leader_id, "two");
  assert.equal(two.eventsOf("leader_lost").length, 0);
});

test("a leader of another client is left alone until its lease has expired", async (t) => {
  const { clock, make, database } = await makeWorld(t);
  const expiry = clock.now().add({ milliseconds: 7000 });
  database
    .open()
    .prepare("INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('go-client', ?, ?)")
    .run(storedTime(clock.now()), storedTime(expiry));
  const client = make("one");
  client.leadership.start();
  await advanceBy(clock, [client], 6900);
  assert.equal(client.eventsOf("leader_acquired").length, 0);
  await advanceUntil(clock, [client], acquired(client), { limitMs: 6000 });
});
