/** The services of a leader on a real database. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { MaintenanceServiceName } from "../../src/model/river-event.ts";
import { bitmaskOfStates } from "../../src/model/job-state.ts";
import { clientOnSqlite } from "../testdata/client-on-sqlite.ts";
import { insertRawJobs, type RawJob, storedTime } from "./testdata/insert-jobs.ts";
import {
  advanceBy,
  advanceUntil,
  type LeadingClient,
  type LeadingClientOptions,
  makeLeadingClient,
} from "./testdata/leading-client.ts";

failOnLeaks();

interface World {
  readonly clock: ManualClock;
  readonly handle: DatabaseSync;
  readonly client: LeadingClient;
  readonly insert: (jobs: readonly RawJob[]) => bigint[];
  /** State, and what else a test wants to see, of all jobs by ID. */
  rows(): {
    id: number;
    state: string;
    metadata: string;
    scheduled_at: string;
    finalized_at: string | null;
    errors: string | null;
  }[];
  /** Lets the leader pass once more with a service; gives the count it reported. */
  readonly passOf: (service: MaintenanceServiceName) => Promise<number>;
}

async function makeWorld(
  t: TestContext,
  options: Partial<LeadingClientOptions> & { start?: string } = {},
): Promise<World> {
  const clock = new ManualClock(options.start);
  const database = await leaseSqliteDatabase(t);
  const handle = database.open();
  const client = makeLeadingClient(t, database, { clientId: "leader", clock, databaseClock: clock, ...options });
  const passes = (service: MaintenanceServiceName) =>
    client.events.filter(
      (event) =>
        (event.kind === "maintenance_succeeded" || event.kind === "maintenance_failed") && event.service === service,
    );
  return {
    clock,
    handle,
    client,
    insert: (jobs) => insertRawJobs(handle, clock.now(), jobs),
    rows: () =>
      handle
        .prepare(
          `SELECT id, state, json(metadata) AS metadata, scheduled_at, finalized_at, json(errors) AS errors
           FROM river_job ORDER BY id`,
        )
        .all() as never,
    async passOf(service) {
      const before = passes(service).length;
      const event = await advanceUntil(clock, [client], () => passes(service)[before], {
        limitMs: 2 * 3_600_000,
        stepMs: 1000,
      });
      assert.equal(event.kind, "maintenance_succeeded");
      return event.kind === "maintenance_succeeded" ? event.count : -1;
    },
  };
}

const hours = (count: number): Temporal.DurationLike => ({ hours: count });

test("the scheduler makes jobs available one interval ahead and keeps their time", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  world.insert([
    { state: "scheduled", scheduledAt: now.subtract({ seconds: 1 }) },
    { state: "retryable", scheduledAt: now.add({ seconds: 5 }) },
    { state: "scheduled", scheduledAt: now.add({ seconds: 6 }) },
    { state: "pending" },
  ]);
  const before = world.rows().map((row) => row.scheduled_at);
  world.client.leadership.start();
  assert.equal(await world.passOf("scheduler"), 2);
  assert.deepEqual(
    world.rows().map((row) => row.state),
    ["available", "available", "scheduled", "pending"],
  );
  assert.equal(await world.passOf("scheduler"), 1);
  assert.deepEqual(
    world.rows().map((row) => row.scheduled_at),
    before,
  );
});

test("the scheduler announces queues with work that is due, within the limit of notices", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  world.insert([
    { state: "scheduled", queue: "due", scheduledAt: now },
    { state: "retryable", queue: "due", scheduledAt: now },
    { state: "scheduled", queue: "later", scheduledAt: now.add({ seconds: 1 }) },
  ]);
  world.client.leadership.start();
  await world.passOf("scheduler");
  const notices = world.handle.prepare("SELECT topic, payload FROM river_notification").all();
  assert.deepEqual(
    notices.map((row) => [row["topic"], JSON.parse(String(row["payload"]))]),
    [["river_insert", { queue: "due" }]],
  );
});

test("C08: a due retry whose key was taken is discarded, and nothing unrelated waits", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  const uniqueStates = bitmaskOfStates(["available", "completed", "pending", "running", "scheduled"]);
  const [taken, lone] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  world.insert([
    { state: "retryable", uniqueKey: taken, uniqueStates, scheduledAt: now.add({ seconds: 2 }), attempt: 1 },
    { state: "scheduled", uniqueKey: taken, uniqueStates, scheduledAt: now.add(hours(1)) },
    { state: "scheduled", uniqueKey: lone, uniqueStates, scheduledAt: now.add({ seconds: 2 }) },
    ...Array.from({ length: 500 }, () => ({ state: "scheduled", scheduledAt: now.add({ seconds: 2 }) })),
  ]);
  world.client.leadership.start();
  assert.equal(await world.passOf("scheduler"), 502);
  const [a, b, c, ...unrelated] = world.rows();
  assert.equal(a?.state, "discarded");
  assert.equal(JSON.parse(a.metadata)["unique_key_conflict"], "scheduler_discarded");
  assert.equal(a.finalized_at?.startsWith(storedTime(now).slice(0, 19)), true);
  assert.deepEqual([b?.state, c?.state], ["scheduled", "available"]);
  assert.ok(unrelated.every((row) => row.state === "available"));
  assert.equal(await world.passOf("scheduler"), 0);
  assert.ok(world.client.logs.every(({ level }) => level === "info"));
});

test("a row that cannot even be discarded is passed over, and mentioned once", async (t) => {
  const world = await makeWorld(t);
  const key = new Uint8Array(32).fill(1);
  const due = world.clock.now();
  const states = bitmaskOfStates(["available", "discarded", "pending", "running", "scheduled"]);
  const [poison] = world.insert([
    { state: "retryable", uniqueKey: key, uniqueStates: states, scheduledAt: due },
    { state: "available", uniqueKey: key, uniqueStates: states },
    { state: "scheduled", scheduledAt: due },
  ]);
  world.client.leadership.start();
  assert.equal(await world.passOf("scheduler"), 1);
  await world.passOf("scheduler");
  await world.passOf("scheduler");
  const warnings = world.client.logs.filter(({ level }) => level !== "info");
  assert.deepEqual(
    warnings.map(({ attributes }) => attributes["jobId"]),
    [poison],
  );
  assert.deepEqual(
    world.rows().map((row) => row.state),
    ["retryable", "available", "available"],
  );
});

test("the job cleaner deletes what is past its retention and nothing else", async (t) => {
  const world = await makeWorld(t, {
    maintenance: { discardedJobRetention: { days: 7 }, cancelledJobRetention: null },
  });
  const now = world.clock.now();
  const [old, older] = [now.subtract(hours(25)), now.subtract(hours(8 * 24))];
  world.insert([
    { state: "completed", finalizedAt: old },
    { state: "completed", finalizedAt: now.subtract(hours(23)) },
    { state: "discarded", finalizedAt: old },
    { state: "discarded", finalizedAt: older },
    { state: "cancelled", finalizedAt: older },
    { state: "pending" },
  ]);
  world.client.leadership.start();
  assert.equal(await world.passOf("job_cleaner"), 2);
  assert.deepEqual(
    world.rows().map((row) => row.id),
    [2, 3, 5, 6],
  );
});

test("a job cleaner that keeps everything makes no statement", async (t) => {
  const deletions: string[] = [];
  const { start, events, sql, states } = await clientOnSqlite(t, {
    environment: { random: () => 0 },
    client: {
      maintenance: {
        completedJobRetention: null,
        cancelledJobRetention: null,
        discardedJobRetention: null,
        jobCleanerInterval: { milliseconds: 5 },
      },
    },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.deleteFinalized") deletions.push(verb);
      return proceed();
    },
  });
  const now = Temporal.Now.instant();
  insertRawJobs(sql, now, [{ state: "completed", finalizedAt: now.subtract(hours(1000)) }]);
  await start();
  await events.when("maintenance_succeeded", 2, ({ service }) => service === "job_cleaner");
  assert.deepEqual(deletions, []);
  assert.deepEqual(states(), { completed: 1 });
});

test("JS-83 a job is rescued once it has run for longer than rescueAfter, and at the next look", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  world.insert([
    { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 1, milliseconds: 1 }) },
    { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 1 }).add({ seconds: 20 }) },
    { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 1 }).add({ seconds: 40 }) },
  ]);
  const states = (): string[] => world.rows().map((row) => row.state);
  world.client.leadership.start();
  assert.equal(await world.passOf("rescuer"), 1);
  assert.deepEqual(states(), ["retryable", "running", "running"]);
  assert.equal(await world.passOf("rescuer"), 1);
  assert.deepEqual(states(), ["retryable", "retryable", "running"]);
});

test("unused queues and stored notices are deleted when their time has come", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  const queue = world.handle.prepare(
    "INSERT INTO river_queue (name, created_at, updated_at, metadata) VALUES (?, ?, ?, jsonb('{}'))",
  );
  for (const [name, age] of [
    ["old", 25],
    ["new", 23],
  ] as const) {
    queue.run(name, storedTime(now), storedTime(now.subtract(hours(age))));
  }
  const notice = world.handle.prepare(
    "INSERT INTO river_notification (topic, payload, created_at) VALUES ('river_control', ?, ?)",
  );
  notice.run('{"n":1}', storedTime(now.subtract({ minutes: 6 })));
  notice.run('{"n":2}', storedTime(now.subtract({ minutes: 4 })));
  world.client.leadership.start();
  await world.passOf("scheduler");
  await advanceBy(world.clock, [world.client], 1000);
  assert.deepEqual(
    world.handle
      .prepare("SELECT name FROM river_queue")
      .all()
      .map((row) => row["name"]),
    ["new"],
  );
  assert.deepEqual(
    world.handle
      .prepare("SELECT payload FROM river_notification")
      .all()
      .map((row) => row["payload"]),
    ['{"n":2}'],
  );
  const { runs } = world.client.leadership.diagnostics;
  assert.deepEqual([runs.queue_cleaner, runs.notification_cleaner, runs.reindexer], [1, 1, 0]);
});

test("indexes are rebuilt at midnight UTC, those that exist, and never before", async (t) => {
  const world = await makeWorld(t, { start: "2026-01-02T23:58:00Z" });
  world.client.leadership.start();
  await advanceBy(world.clock, [world.client], 119_000);
  assert.equal(world.client.leadership.diagnostics.runs.reindexer, 0);
  const indexes = world.handle.prepare(
    "SELECT count(*) AS n FROM sqlite_master WHERE type = 'index' AND name LIKE 'river_job_%'",
  );
  assert.ok(Number(indexes.get()?.["n"]) >= 4);
  assert.equal(await world.passOf("reindexer"), 4);
  assert.ok(world.client.logs.every(({ level }) => level === "info"));
});

test("configured indexes that do not exist are named once, and a schedule of one's own is followed from its own times", async (t) => {
  const asked: string[] = [];
  const world = await makeWorld(t, {
    maintenance: {
      reindexerIndexNames: ["river_job_kind", "no_such_index"],
      reindexerSchedule: (after) => {
        asked.push(after.toString());
        return asked.length > 2 ? null : after.add({ minutes: 1 });
      },
    },
  });
  const start = world.clock.now();
  world.client.leadership.start();
  assert.equal(await world.passOf("reindexer"), 1);
  assert.equal(await world.passOf("reindexer"), 1);
  assert.deepEqual(asked, [start, start.add({ minutes: 1 }), start.add({ minutes: 2 })].map(String));
  const warnings = world.client.logs.filter(({ level }) => level === "warn");
  assert.deepEqual(
    warnings.map(({ attributes }) => attributes["indexes"]),
    [["no_such_index"], ["no_such_index"]],
  );
});

test("no more statements are made for a term that a newer leader has replaced", async (t) => {
  const world = await makeWorld(t);
  world.client.leadership.start();
  await world.passOf("scheduler");
  const now = world.clock.now();
  world.handle
    .prepare("UPDATE river_leader SET leader_id = 'usurper', elected_at = ?, expires_at = ?")
    .run(storedTime(now), storedTime(now.add(hours(1))));
  world.insert([{ state: "scheduled", scheduledAt: now }]);
  await advanceUntil(world.clock, [world.client], () => world.client.eventsOf("leader_lost").length > 0, {
    limitMs: 5000,
  });
  assert.deepEqual(
    world.rows().map((row) => row.state),
    ["scheduled"],
  );
  assert.equal(world.client.eventsOf("maintenance_failed").length, 0);
});
