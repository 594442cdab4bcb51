/** What a leader does besides electing itself: promotes, rescues, deletes; and what every client does for its queues. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { onBothDatabases, onPostgres, postgresDatabase } from "../src/database.ts";
import { insertRaw, storedTime } from "../src/raw-jobs.ts";
import { openScene, quickQueue } from "../src/scene.ts";

failOnLeaks();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CANCEL_ATTEMPTED = '{"cancel_attempted_at":"2026-01-01T00:00:00Z"}';
/** Services that look often; how long things are kept is as in production. */
const OFTEN = { milliseconds: 100 };

onBothDatabases(
  "a leader promotes what is due, rescues what is stuck, and deletes what has been kept long enough, and nothing else",
  async (t, database) => {
    const { start, client, events, row, complaints } = openScene(t, database, {
      client: {
        queues: { elsewhere: quickQueue() },
        retryPolicy: (_, now) => now.add({ hours: 2 }),
        maintenance: {
          electionInterval: OFTEN,
          jobCleanerInterval: OFTEN,
          queueCleanerInterval: OFTEN,
          rescuerInterval: OFTEN,
          schedulerInterval: OFTEN,
        },
      },
    });
    const expected = {
      scheduled: { raw: { state: "scheduled", scheduledIn: -1_000 }, becomes: "available" },
      retryable: { raw: { state: "retryable", attempt: 1, scheduledIn: -1_000 }, becomes: "available" },
      later: { raw: { state: "scheduled", scheduledIn: HOUR_MS }, becomes: "scheduled" },
      stuck: { raw: { state: "running", attempt: 1, attemptedIn: -1.01 * HOUR_MS }, becomes: "retryable" },
      last: { raw: { state: "running", attempt: 5, maxAttempts: 5, attemptedIn: -2 * HOUR_MS }, becomes: "discarded" },
      unheard: {
        raw: { state: "running", attempt: 1, attemptedIn: -2 * HOUR_MS, metadata: CANCEL_ATTEMPTED },
        becomes: "cancelled",
      },
      busy: { raw: { state: "running", attempt: 1, attemptedIn: -0.99 * HOUR_MS }, becomes: "running" },
      completed: { raw: { state: "completed", finalizedIn: -1.01 * DAY_MS }, becomes: null },
      cancelled: { raw: { state: "cancelled", finalizedIn: -1.01 * DAY_MS }, becomes: null },
      discarded: { raw: { state: "discarded", finalizedIn: -7.01 * DAY_MS }, becomes: null },
      fresh: { raw: { state: "completed", finalizedIn: -0.99 * DAY_MS }, becomes: "completed" },
      kept: { raw: { state: "discarded", finalizedIn: -6.99 * DAY_MS }, becomes: "discarded" },
      pending: { raw: { state: "pending", scheduledIn: -DAY_MS }, becomes: "pending" },
    } as const;
    const ids = await insertRaw(
      database,
      Object.values(expected).map(({ raw }) => raw),
    );
    for (const [name, ageMs] of [
      ["deserted", 1.01 * DAY_MS],
      ["rested", 0.99 * DAY_MS],
    ] as const) {
      const time = database.backend === "postgres" ? "$2::timestamptz" : "$2";
      await database.query(
        `INSERT INTO river_queue (name, created_at, updated_at) VALUES ($1, ${time}, ${time})`,
        name,
        storedTime(database, -ageMs),
      );
    }
    const run = await start();
    for (const service of ["scheduler", "rescuer", "job_cleaner", "queue_cleaner"] as const) {
      await events.when("maintenance_succeeded", 2, (event) => event.service === service);
    }
    for (const [index, [name, { becomes }]] of Object.entries(expected).entries()) {
      const job = await client.jobs.get(ids[index] ?? 0n);
      assert.equal(job?.state ?? null, becomes, name);
    }
    const [, , , ...rescued] = ids;
    for (const id of rescued.slice(0, 3)) {
      const { attempt, errors, metadata } = await row(id);
      assert.deepEqual(
        errors.map((entry) => [entry.attempt, entry.error, entry.trace]),
        [[attempt, "Stuck job rescued by JobRescuer", ""]],
      );
      assert.equal(Number(metadata["river:rescue_count"]), 1);
    }
    const counts = events.of("maintenance_succeeded").map(({ service, count }) => [service, count] as const);
    const sums = Object.fromEntries(counts.map(([service]) => [service, 0]));
    for (const [service, count] of counts) sums[service] = (sums[service] ?? 0) + count;
    assert.deepEqual([sums["scheduler"], sums["rescuer"], sums["job_cleaner"], sums["queue_cleaner"]], [2, 3, 3, 1]);
    const queues = await database.query("SELECT name FROM river_queue ORDER BY name");
    assert.deepEqual(
      queues.map(({ name }) => name),
      ["elsewhere", "rested"],
    );
    assert.equal(run.diagnostics.maintenance?.isLeader, true);
    assert.equal(run.diagnostics.maintenance.lastError, null);
    assert.equal(events.of("maintenance_failed").length, 0);
    assert.deepEqual(complaints(), []);
  },
);

onBothDatabases("states that are kept for ever are not deleted, and the others still are", async (t, database) => {
  const { start, events, states } = openScene(t, database, {
    client: {
      queues: { elsewhere: quickQueue() },
      maintenance: { jobCleanerInterval: OFTEN, completedJobRetention: null, discardedJobRetention: { seconds: 1 } },
    },
  });
  await insertRaw(database, [
    { state: "completed", finalizedIn: -400 * DAY_MS },
    { state: "cancelled", finalizedIn: -2 * DAY_MS },
    { state: "discarded", finalizedIn: -2_000 },
  ]);
  await start();
  await events.when("maintenance_succeeded", 2, ({ service }) => service === "job_cleaner");
  assert.deepEqual(await states(), { completed: 1 });
});

onPostgres(
  "the heartbeat of a client keeps its queues registered, paused ones too, while the cleaner deletes others",
  async (t, lease) => {
    const { start, client, events } = openScene(t, postgresDatabase(lease), {
      client: {
        queues: { a: quickQueue(), b: quickQueue() },
        queueHeartbeatInterval: { seconds: 1 },
        maintenance: { queueCleanerInterval: OFTEN, queueRetention: { seconds: 20 } },
      },
    });
    await start();
    await client.queues.pause("b");
    await events.when("queue_paused");
    const before = await client.queues.get("b");
    assert.ok(before?.pausedAt);
    await lease.query("INSERT INTO river_queue (name, updated_at) VALUES ('c', now() - interval '21 seconds')");
    // One that somebody deletes although it is worked comes back with the next heartbeat.
    await lease.query("DELETE FROM river_queue WHERE name = 'a'");
    await pollUntil(async () => (await client.queues.get("a")) !== null);
    await pollUntil(async () => {
      const now = await client.queues.get("b");
      return now !== null && Temporal.Instant.compare(now.updatedAt, before.updatedAt) > 0;
    });
    await pollUntil(async () => (await client.queues.get("c")) === null);
    assert.ok((await client.queues.get("b"))?.pausedAt?.equals(before.pausedAt));
    assert.equal(events.of("queue_paused").length, 1);
  },
);
