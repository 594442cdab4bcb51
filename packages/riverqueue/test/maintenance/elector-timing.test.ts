/** When a client bids, renews and resigns, and how long it lets each statement take. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import { resignedNotice } from "../../src/driver/notice.ts";
import type { LeaderFacet } from "../../src/driver/leader-facet.ts";
import { silentLogger } from "../../src/kit/logger.ts";
import { Elector } from "../../src/maintenance/elector.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";
import { storedTime } from "./testdata/insert-jobs.ts";

failOnLeaks();

type Verb = "elect" | "renew" | "resign";

/** A statement of the elector. */
interface Call {
  readonly verb: Verb;
  readonly at: number;
  readonly timeoutMs: number | undefined;
  readonly ttlMs: number | undefined;
}

interface Bench {
  readonly clock: ManualClock;
  readonly elector: Elector<DatabaseSync>;
  readonly calls: readonly Call[];
  /** Verbs that fail from now on. */
  readonly failing: Set<Verb>;
  /** The row of a leader of another client, which never expires in a test. */
  readonly occupy: () => void;
  /** Deletes the row of whoever leads. */
  readonly vacate: () => void;
  /** Moves the clock in small steps, so that the database has answered before it moves on. */
  readonly pass: (ms: number) => Promise<void>;
  readonly times: (verb: Verb) => number[];
}

async function makeBench(t: TestContext, intervalMs: number = 5_000): Promise<Bench> {
  const clock = new ManualClock();
  const sql = (await leaseSqliteDatabase(t)).open();
  const driver = new SqliteDriver(sql);
  const calls: Call[] = [];
  const failing = new Set<Verb>();
  const elector = new Elector<DatabaseSync>({
    leader: watched(driver.leader, (verb, params, timeoutMs) => {
      calls.push({ verb, at: clock.monotonic(), timeoutMs, ttlMs: params.ttlMs });
      if (failing.has(verb)) throw databaseError("transient", `leader.${verb}`);
    }),
    clientId: "one",
    intervalMs,
    environment: { clock, random: () => 0.5, databaseNow: () => clock.now(), probe: () => {} },
    logger: silentLogger,
    onElected: () => {},
    onAttempt: () => {},
    onFailure: (error) => assert.fail(String(error)),
  });
  const flush = async (): Promise<void> => void (await driver.leader.current());
  const pass = async (ms: number): Promise<void> => {
    for (const end = clock.monotonic() + ms; clock.monotonic() < end;) {
      await flush();
      await clock.advance(Math.min(25, end - clock.monotonic()));
    }
    await flush();
  };
  t.after(async () => {
    failing.clear();
    const stopped = elector.stop();
    await pass(10_000);
    await stopped;
    driver.close();
  });
  return {
    clock,
    elector,
    calls,
    failing,
    pass,
    occupy() {
      sql
        .prepare("INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('other', ?, ?)")
        .run(storedTime(clock.now()), storedTime(clock.now().add({ hours: 24 })));
    },
    vacate: () => sql.exec("DELETE FROM river_leader"),
    times: (verb) => calls.filter((call) => call.verb === verb).map(({ at }) => at),
  };
}

function watched(
  leader: LeaderFacet<DatabaseSync>,
  called: (verb: Verb, params: { readonly ttlMs?: number }, timeoutMs: number | undefined) => void,
): LeaderFacet<DatabaseSync> {
  return {
    elect: async (params, call) => (called("elect", params, call?.timeoutMs), leader.elect(params, call)),
    renew: async (params, call) => (called("renew", params, call?.timeoutMs), leader.renew(params, call)),
    resign: async (params, call) => (called("resign", {}, call?.timeoutMs), leader.resign(params, call)),
    transact: (transaction, call) => leader.transact(transaction, call),
    current: (call) => leader.current(call),
  };
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

test("a follower bids every interval and up to a second more, 5 s for a bid, for a lease of 10 s more than the interval", async (t) => {
  const { elector, calls, occupy, pass, times } = await makeBench(t);
  occupy();
  elector.start();
  await pass(17_000);
  assert.deepEqual(gaps(times("elect")), [5_500, 5_500, 5_500]);
  assert.deepEqual(calls[0], { verb: "elect", at: 0, timeoutMs: 5_000, ttlMs: 15_000 });
});

test("a follower that hears of a vacancy bids within 50 ms", async (t) => {
  const { elector, occupy, pass, times } = await makeBench(t);
  occupy();
  elector.start();
  await pass(1_000);
  elector.expectVacancy();
  await pass(100);
  assert.deepEqual(times("elect"), [0, 1_025]);
});

test("JS-71 failed bids are repeated after 250 ms, doubled up to half the interval", async (t) => {
  const { elector, failing, pass, times } = await makeBench(t);
  failing.add("elect");
  elector.start();
  await pass(9_000);
  assert.deepEqual(gaps(times("elect")), [250, 500, 1_000, 2_000, 2_500, 2_500]);
});

test("JS-71 with a short interval failed bids are repeated after an eighth of it, up to a half", async (t) => {
  const { elector, failing, pass, times } = await makeBench(t, 800);
  failing.add("elect");
  elector.start();
  await pass(1_600);
  assert.deepEqual(gaps(times("elect")), [100, 200, 400, 400, 400]);
});

test("a lease is renewed every interval; failed renewals follow 1, 2, 4 and again 1 s later, within what is trusted", async (t) => {
  const { elector, calls, failing, pass, times } = await makeBench(t);
  elector.start();
  await pass(5_100);
  failing.add("renew");
  await pass(14_000);
  const renewals = calls.filter(({ verb }) => verb === "renew");
  assert.deepEqual(
    renewals.map(({ at, timeoutMs }) => [at, timeoutMs]),
    [
      [5_000, 5_000],
      [10_000, 5_000],
      [11_000, 5_000],
      [13_000, 5_000],
      [17_000, 2_000],
      [18_000, 1_000],
    ],
  );
  assert.ok(renewals.every(({ ttlMs }) => ttlMs === 15_000));
  // What is not trusted any more is given up: 14 s after the last renewal, a second before the lease ends.
  assert.deepEqual(times("resign"), [19_000]);
});

test("a leader whose term the database no longer knows steps down without resigning, and bids at once", async (t) => {
  const { elector, times, pass, vacate } = await makeBench(t);
  elector.start();
  await pass(1_000);
  vacate();
  await pass(4_200);
  assert.deepEqual(times("renew"), [5_000]);
  assert.deepEqual(times("resign"), []);
  assert.equal(times("elect").length, 2);
});

test("a leader is not hurried by a notice of a resignation, nor a follower by one of its own", async (t) => {
  for (const leads of [true, false]) {
    const { elector, times, occupy, pass } = await makeBench(t);
    if (!leads) occupy();
    elector.start();
    await pass(1_000);
    elector.onNotice(resignedNotice(leads ? "other" : "one"));
    await pass(4_500);
    assert.deepEqual([times("elect"), times("renew")], leads ? [[0], [5_000]] : [[0, 5_500], []]);
  }
});

test("resigning is tried three times, 1, 2 and 3 s long, with pauses of 1 and 2 s", async (t) => {
  const { elector, calls, failing, pass } = await makeBench(t);
  elector.start();
  await pass(100);
  failing.add("resign");
  let stopped = false;
  void elector.stop().then(() => (stopped = true));
  await pass(10_000);
  assert.ok(stopped);
  assert.deepEqual(
    calls.filter(({ verb }) => verb === "resign").map(({ at, timeoutMs }) => [at, timeoutMs]),
    [
      [100, 1_000],
      [1_100, 2_000],
      [3_100, 3_000],
    ],
  );
});

test("who was asked to resign lets others bid for a quarter to half a second", async (t) => {
  const { elector, pass, times } = await makeBench(t);
  elector.start();
  await pass(1_000);
  elector.requestResignation();
  await pass(500);
  assert.deepEqual(times("elect"), [0, 1_375]);
});
