/** A client's part in the fleet's tables: heartbeat, counts by the minute, audit trail. */
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { readFileSync } from "node:fs";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { HEARTBEAT_MS } from "../../src/fleet/fleet.ts";
import { LATENCY_BUCKETS } from "../../src/fleet/latency-buckets.ts";
import { discard } from "../../src/work/outcome.ts";
import { aborted, advanceUntil } from "../testdata/client-on-sqlite.ts";
import { calmQueue, fleetOnSqlite } from "./testdata/fleet-on-sqlite.ts";

failOnLeaks();

const COUNTS = "select minute, queue, kind, inserted, completed, failed from river_fleet_minute order by 1, 2, 3";
const ACTIONS = "select client_id, action, subject from river_fleet_audit order by id";

test("a client writes its row at the start and every ten seconds, and removes it when it stops", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  const beats: string[] = [];
  const { client: sender, start } = await client({
    client: { clientId: "one", queues: { default: calmQueue(7) } },
    intercept: (verb, params, proceed) => {
      if (verb === "extension.run" && JSON.stringify(params).includes("river_fleet_client")) beats.push(verb);
      return proceed();
    },
  });
  const run = await start();
  await until(() => rows("select * from river_fleet_client").length === 1, HEARTBEAT_MS);
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const row = "select *, json(queues) as queues, json(executors) as executors from river_fleet_client";
  const [{ seen_at: seenAt, ...rest } = {}] = rows(row);
  assert.match(String(seenAt), /^2026-01-02 03:04:40\./);
  assert.deepEqual(rest, {
    client_id: sender.clientId,
    host: hostname(),
    process_id: process.pid,
    version,
    runtime: `node ${process.versions.node}`,
    state: "running",
    queues: '{"default":{"max_workers":7,"paused":false}}',
    running: 0,
    loop_delay_max_ms: null,
    loop_delay_mean_ms: null,
    loop_delay_p99_ms: null,
    executors: "{}",
    started_at: "2026-01-02 03:04:40.000",
  });
  // One look for the tables and one heartbeat so far.
  assert.equal(beats.length, 2);
  while (beats.length < 5 && clock.monotonic() < 60_000) await clock.advance(100);
  // One statement each. While one is under way the test's clock moves on a little.
  assert.ok(clock.monotonic() >= 3 * HEARTBEAT_MS && clock.monotonic() < 3.5 * HEARTBEAT_MS, String(clock.monotonic()));
  const seen = /^2026-01-02 03:05:1\d\./;
  await pollUntil(() => seen.test(String(rows("select seen_at from river_fleet_client")[0]?.["seen_at"])));
  await advanceUntil(clock, run.stop());
  assert.deepEqual(rows("select * from river_fleet_client"), []);
});

test("the row shows running attempts, the delay of the loop and the state while stopping", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  const { start, insert, events } = await client({
    client: { eventLoopDelay: { resolution: { milliseconds: 1 } }, queues: { default: calmQueue() } },
    handler: ({ signal }) => aborted(signal).then(() => undefined),
  });
  const run = await start();
  await insert(2);
  await advanceUntil(clock, events.when("job_started", 2), 10);
  const query = "select state, running, loop_delay_max_ms > 0 as delayed from river_fleet_client";
  await until(() => rows(query)[0]?.["delayed"] === 1, 3 * HEARTBEAT_MS);
  assert.deepEqual(rows(query), [{ state: "running", running: 2, delayed: 1 }]);
  const stop = run.stop();
  await until(() => rows(query)[0]?.["state"] === "stopping", 3 * HEARTBEAT_MS);
  assert.equal(rows(query)[0]?.["running"], 2);
  await advanceUntil(clock, Promise.all([stop, run.stop({ mode: "cancel" })]));
});

test("clients add up what they did in a minute, after its end and when they stop", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  const a = await client({
    client: { clientId: "a", queues: { default: calmQueue() } },
    handler: ({ job }) => (job.args["n"] === 1 ? discard() : undefined),
  });
  const b = await client({ client: { clientId: "b", queues: { other: calmQueue() } } });
  const [runA, runB] = [await a.start(), await b.start()];
  await a.insert(3);
  await b.insert(2);
  await a.insert(2, { queue: "other" });
  const ends = Promise.all([
    a.events.when("job_completed", 3),
    a.events.when("job_failed", 2),
    b.events.when("job_completed", 2),
  ]);
  await advanceUntil(clock, ends, 10);
  assert.deepEqual(rows(COUNTS), [], "the minute is not over");
  await until(() => rows("select sum(completed + failed) as n from river_fleet_minute")[0]?.["n"] === 7, 60_000);
  const first = "2026-01-02 03:04:00.000";
  const [both, other] = rows(COUNTS);
  assert.deepEqual(both, { minute: first, queue: "default", kind: "task", inserted: 5, completed: 3, failed: 2 });
  assert.deepEqual(other, { minute: first, queue: "other", kind: "task", inserted: 2, completed: 2, failed: 0 });
  const buckets = LATENCY_BUCKETS.map(({ column }) => column).join(" + ");
  assert.deepEqual(rows(`select sum(${buckets}) as started, sum(latency_more) as late from river_fleet_minute`), [
    { started: 7, late: 0 },
  ]);

  await a.insert(1);
  await b.insert(1, { queue: "other" });
  await advanceUntil(clock, Promise.all([a.events.when("job_completed", 4), b.events.when("job_completed", 3)]), 10);
  await advanceUntil(clock, Promise.all([runA.stop(), runB.stop()]));
  const second = "2026-01-02 03:05:00.000";
  assert.deepEqual(rows(COUNTS).slice(2), [
    { minute: second, queue: "default", kind: "task", inserted: 1, completed: 1, failed: 0 },
    { minute: second, queue: "other", kind: "task", inserted: 1, completed: 1, failed: 0 },
  ]);
});

test("a job that waited long is counted as such, and what a client inserts that does not run is not", async (t) => {
  const { clock, client, rows } = await fleetOnSqlite(t);
  const waiting = await client();
  await waiting.insert(1);
  await clock.advance(90_000);
  const { start, events, insert } = await client();
  const run = await start();
  await insert(1);
  await advanceUntil(clock, events.when("job_completed", 2), 10);
  await advanceUntil(clock, run.stop());
  assert.deepEqual(rows("select inserted, latency_10ms + latency_50ms as quick, latency_5m from river_fleet_minute"), [
    { inserted: 1, quick: 1, latency_5m: 1 },
  ]);
});

/** A row of `ACTIONS`. */
function entry(action: string, subject: string | null = null): Record<string, unknown> {
  return { client_id: "one", action, subject };
}

test("the audit trail tells of clients, queues and leadership", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  const {
    client: sender,
    start,
    events,
  } = await client({
    client: { clientId: "one", leaderElectionDisabled: false, queueControlPollInterval: { seconds: 2 } },
  });
  const run = await start();
  await advanceUntil(clock, events.when("leader_acquired"), 100);
  await run.addQueue("extra", { maxWorkers: 1 });
  await sender.queues.pause("default");
  await advanceUntil(clock, events.when("queue_paused"), 100);
  await until(() => rows(ACTIONS).length === 4, 3 * HEARTBEAT_MS);
  const soFar = [
    entry("client_started"),
    entry("leader_acquired"),
    entry("queue_added", "extra"),
    entry("queue_paused", "default"),
  ];
  assert.deepEqual(rows(ACTIONS), soFar);
  await advanceUntil(clock, run.stop());
  assert.deepEqual(rows(ACTIONS), [...soFar, entry("leader_lost"), entry("client_stopped")]);
});

test("counting asks for no events and no rows that nobody else wants", async (t) => {
  const { clock, client, rows } = await fleetOnSqlite(t);
  const wanted: boolean[] = [];
  const { start, insert, events } = await client({
    eventKinds: ["queue_paused"],
    intercept: (verb, params: { wantRows?: boolean }, proceed) => {
      if (verb === "jobs.settle") wanted.push(params.wantRows === true);
      return proceed();
    },
  });
  const run = await start();
  await insert(1);
  await advanceUntil(
    clock,
    pollUntil(() => wanted.length === 1),
    10,
  );
  await advanceUntil(clock, run.stop());
  assert.deepEqual(wanted, [false]);
  assert.deepEqual(events.all, []);
  assert.deepEqual(rows("select completed from river_fleet_minute"), [{ completed: 1 }]);
});

test("an idle client that leads and writes its row calls the database no more than three times a second", async (t) => {
  const { clock, client, rows } = await fleetOnSqlite(t);
  let calls = 0;
  const { start, events } = await client({
    // The pace of a client without options.
    client: {
      queues: { default: { maxWorkers: 10 } },
      queueControlPollInterval: { seconds: 2 },
      leaderElectionDisabled: false,
    },
    intercept: (_, __, proceed) => {
      calls += 1;
      return proceed();
    },
  });
  const run = await start();
  await advanceUntil(clock, events.when("leader_acquired"), 100);
  await clock.advance(5_000);
  calls = 0;
  const begin = clock.monotonic();
  while (clock.monotonic() < begin + 120_000) await clock.advance(50);
  assert.ok(calls > 120 && calls <= 360, String(calls));
  assert.equal(rows("select * from river_fleet_client").length, 1);
  await advanceUntil(clock, run.stop());
});
