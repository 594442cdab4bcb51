/** When a queue is claimed from, for how many jobs, and of which kinds. */
import assert from "node:assert/strict";
import test from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { ClientOptions } from "../../src/client/client-options.ts";
import { Client } from "../../src/client/river-client.ts";
import type { ClaimJobsParams } from "../../src/driver/claim-jobs.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { attachEnvironment } from "../../src/kit/environment.ts";
import { snooze } from "../../src/work/outcome.ts";
import { Workers } from "../../src/work/workers.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

/** A client that only works: nothing else sets timers or claims. */
const ALONE = { pollOnly: true, leaderElectionDisabled: true, queueControlPollInterval: { hours: 1 } } as const;
const PACED = { maxWorkers: 2, fetchCooldown: { milliseconds: 100 }, pollInterval: { seconds: 1 } } as const;

test("JS-17 JS-15 each queue claims for itself, at most its free slots, and never runs more", async (t) => {
  const finish = deferred<void>();
  const limits: Record<string, number[]> = { one: [], two: [] };
  let running = 0;
  let most = 0;
  const { start, insert, events } = await clientOnSqlite(t, {
    client: { queues: { one: quickQueue(3), two: quickQueue(1) } },
    handler: async ({ job }) => {
      if (job.queue === "one") most = Math.max(most, ++running);
      await finish.promise;
      if (job.queue === "one") running--;
    },
    intercept: (verb, params: ClaimJobsParams, proceed) => {
      if (verb === "jobs.claim") limits[params.queue]?.push(params.limit);
      return proceed();
    },
  });
  await insert(2, { queue: "one" });
  await start();
  await events.when("job_started", 2);
  await insert(10, { queue: "one" });
  await insert(2, { queue: "two" });
  await events.when("job_started", 4);
  assert.deepEqual(limits["one"]?.slice(0, 2), [3, 1]);
  assert.ok(limits["two"]?.every((limit) => limit === 1));
  finish.resolve();
  await events.when("job_completed", 14);
  assert.equal(most, 3);
  assert.ok(limits["one"]?.every((limit) => limit >= 1 && limit <= 3));
});

test("JS-17 a claim of one queue that hangs holds up no other queue", async (t) => {
  const gate = deferred<void>();
  const claiming = deferred<void>();
  const { start, insert, events } = await clientOnSqlite(t, {
    client: { queues: { one: quickQueue(1), two: quickQueue(1) } },
    intercept: async (verb, params: ClaimJobsParams, proceed) => {
      if (verb === "jobs.claim" && params.queue === "one") {
        claiming.resolve();
        await gate.promise;
      }
      return proceed();
    },
  });
  await start();
  await claiming.promise;
  await insert(3, { queue: "two" });
  await events.when("job_completed", 3);
  gate.resolve();
});

test("JS-20 each poll waits a new random extra of up to a tenth, at least out of 10 ms", async (t) => {
  const clock = new ManualClock();
  const claims: number[] = [];
  const chances = [0, 0.5, 0.99];
  const { start } = await clientOnSqlite(t, {
    environment: { ...manualEnvironment(clock), random: () => chances[claims.length - 1] ?? 0 },
    client: { ...ALONE, queues: { default: PACED }, queueHeartbeatInterval: { hours: 1 } },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.claim") claims.push(clock.monotonic());
      return proceed();
    },
  });
  await start();
  await clock.advance(3_500);
  assert.deepEqual(claims, [0, 1_000, 2_050, 3_149]);
});

test("JS-21 a burst of inserts leads to one claim a cool-down, and to a single one after the last", async (t) => {
  const clock = new ManualClock();
  const claims: number[] = [];
  const { start, client, states } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      leaderElectionDisabled: true,
      fetchCooldown: { milliseconds: 1 },
      queues: { default: { maxWorkers: 100, fetchCooldown: { milliseconds: 100 }, pollInterval: { minutes: 1 } } },
    },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.claim") claims.push(clock.monotonic());
      return proceed();
    },
  });
  await start();
  await clock.advance(1_000);
  for (let n = 0; n < 25; n++) {
    await client.insert(task, { n });
    await clock.advance(10);
  }
  await clock.advance(10_000);
  assert.deepEqual(claims, [0, 1_000, 1_100, 1_200, 1_300, 1_400]);
  assert.deepEqual(states(), { completed: 25 });
});

test("what the sender of a notice inserts within its cool-down is found a cool-down later", async (t) => {
  const clock = new ManualClock();
  const claims: number[] = [];
  const database = await leaseSqliteDatabase(t);
  const queues = { default: { maxWorkers: 10, fetchCooldown: { milliseconds: 20 }, pollInterval: { minutes: 1 } } };
  const { start, events } = await clientOnSqlite(t, {
    database,
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true, queueControlPollInterval: { hours: 1 }, queues },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.claim") claims.push(clock.monotonic());
      return proceed();
    },
  });
  await start();
  await clock.advance(1_000);
  const sender = new SqliteDriver(database.open());
  t.after(() => sender.close());
  const options: ClientOptions = {};
  attachEnvironment(options, manualEnvironment(clock));
  const other = new Client(sender, options);
  await other.insert(task, { n: 1 });
  await events.when("job_completed");
  await other.insert(task, { n: 2 });
  await clock.advance(99);
  assert.equal(events.of("job_completed").length, 1);
  await clock.advance(1);
  await events.when("job_completed", 2);
  await clock.advance(30_000);
  assert.deepEqual(claims, [0, 1_000, 1_100]);
});

test("JS-67 a failing claim backs off from 250 ms to 30 s, whatever wakes it, and starts over after a success", async (t) => {
  const clock = new ManualClock();
  const claims: number[] = [];
  let broken = true;
  const { start, client, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true, queueControlPollInterval: { hours: 1 }, queues: { default: PACED } },
    intercept: (verb, _, proceed) => {
      if (verb !== "jobs.claim") return proceed();
      claims.push(clock.monotonic());
      if (broken) throw databaseError("transient", verb);
      return proceed();
    },
  });
  await start();
  await clock.advance(100);
  await client.insert(task, {});
  await clock.advance(100_000);
  const gaps = claims.map((at, index) => at - (claims[index - 1] ?? 0)).slice(1);
  assert.deepEqual(gaps, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  broken = false;
  await clock.advance(30_000);
  await events.when("job_completed");
  broken = true;
  claims.length = 0;
  await clock.advance(5_000);
  assert.equal((claims[1] ?? 0) - (claims[0] ?? 0), 250);
});

test("a slot that frees itself while a claim is on its way is filled without waiting for a poll", async (t) => {
  const first = deferred<void>();
  const claiming = deferred<void>();
  const answer = deferred<void>();
  let claims = 0;
  const { start, insert, events } = await clientOnSqlite(t, {
    client: { ...ALONE, queues: { default: { ...quickQueue(2), pollInterval: { hours: 1 } } } },
    handler: ({ job }) => (job.args["n"] === 0 ? first.promise : undefined),
    intercept: async (verb, _, proceed) => {
      const result = verb === "jobs.claim" ? proceed() : null;
      if (result === null) return proceed();
      if (++claims !== 2) return result;
      claiming.resolve();
      await answer.promise;
      return result;
    },
  });
  await insert(1);
  await start();
  await events.when("job_started");
  await insert(3);
  await claiming.promise;
  first.resolve();
  await events.when("job_completed");
  answer.resolve();
  await events.when("job_completed", 4);
});

test("JS-96 a kind without a worker is claimed and fails, which uses up an attempt", async (t) => {
  const stranger = defineJob({ kind: "stranger" });
  const { start, client, row, events } = await clientOnSqlite(t);
  const { job } = await client.insert(stranger, {}, { maxAttempts: 1 });
  await start();
  await events.when("job_failed");
  const { state, attempt, errors } = await row(job.id);
  assert.deepEqual([state, attempt], ["discarded", 1]);
  assert.equal(errors[0]?.error, "job kind is not registered in the client's Workers bundle: stranger");
});

test("JS-97 JS-98 with fetchOnlyKnownKinds only the kinds registered at start are claimed, aliases included", async (t) => {
  const aliased = defineJob({ kind: "new_name", kindAliases: ["old_name"] });
  const late = defineJob({ kind: "late" });
  const workers = new Workers().add(task, () => {}).add(aliased, () => {});
  const kinds: unknown[] = [];
  const { start, client, row, events } = await clientOnSqlite(t, {
    client: { fetchOnlyKnownKinds: true, workers },
    intercept: (verb, params: ClaimJobsParams, proceed) => {
      if (verb === "jobs.claim") kinds.push(params.kinds);
      return proceed();
    },
  });
  const { job: foreign } = await client.insert(defineJob({ kind: "foreign" }), {});
  const { job: lateJob } = await client.insert(late, {});
  await start();
  workers.add(late, () => {});
  await client.insert(defineJob({ kind: "old_name" }), {});
  await client.insert(task, {});
  await events.when("job_completed", 2);
  for (const { id } of [foreign, lateJob]) {
    const { state, attempt, errors } = await row(id);
    assert.deepEqual([state, attempt, errors.length], ["available", 0, 0]);
  }
  assert.deepEqual(kinds[0], ["new_name", "old_name", "task"]);
});

test("JS-99 with fetchOnlyKnownKinds a leader discards stuck jobs of kinds that it does not know", async (t) => {
  const { start, sql, events, row } = await clientOnSqlite(t, {
    client: { fetchOnlyKnownKinds: true, maintenance: { rescuerInterval: { milliseconds: 5 } } },
  });
  const long = Temporal.Now.instant().subtract({ hours: 100 });
  const [id = 0n] = insertRawJobs(sql, long, [{ kind: "stranger", state: "running", attempt: 1, attemptedAt: long }]);
  await start();
  await events.when("maintenance_succeeded", 1, (event) => event.service === "rescuer" && event.count === 1);
  const { state, errors } = await row(id);
  assert.deepEqual([state, errors.length], ["discarded", 1]);
});

test("JS-24 neither jobs.retry nor a near-future retry sends an insert notice, which its cool-down would not hold back", async (t) => {
  const clock = new ManualClock();
  const { start, insert, client, sql, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...ALONE, retryPolicy: (_, now) => now },
    handler: ({ job }) => {
      if (job.attempt === 1) throw new Error("once");
    },
  });
  const notices = (): unknown =>
    sql.prepare("SELECT count(*) AS n FROM river_notification WHERE topic = 'river_insert'").get()?.["n"];
  const [id = 0n] = await insert(1);
  assert.equal(notices(), 1);
  await clock.advance(1_000);
  await start();
  await advanceUntil(clock, events.when("job_completed"), 50);
  assert.equal(notices(), 1);
  await clock.advance(1_000);
  await client.jobs.retry(id);
  assert.equal(notices(), 1);
  await advanceUntil(clock, events.when("job_completed", 2), 50);
  assert.equal(notices(), 1);
  await clock.advance(1_000);
  await insert(1);
  assert.equal(notices(), 2);
});

test("a job whose row cannot be decoded fails its attempt and holds up no other", async (t) => {
  const { start, insert, sql, events } = await clientOnSqlite(t);
  const [damaged = 0n] = await insert(3, { maxAttempts: 1 });
  sql.prepare("UPDATE river_job SET args = jsonb('[1]') WHERE id = ?").run(damaged);
  await start();
  await events.when("job_completed", 2);
  const [{ job } = { job: null }] = await events.when("job_failed");
  assert.equal(job?.id, damaged);
  assert.match(job?.errors[0]?.error ?? "", /^job row couldn't be decoded:/);
});

test("JS-49 a near-future retry runs on time, not at the next poll", async (t) => {
  const clock = new ManualClock();
  const starts: number[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      ...ALONE,
      queues: { default: { maxWorkers: 1, pollInterval: { hours: 1 } } },
      retryPolicy: (_, now) => now.add({ milliseconds: 4_321 }),
    },
    handler: ({ job }) => {
      starts.push(clock.monotonic());
      if (job.attempt === 1) throw new Error("once");
    },
  });
  const [id] = await insert();
  await start();
  await clock.advance(0);
  const [failed] = await events.when("job_failed");
  assert.equal(failed?.job.state, "available");
  assert.equal(failed?.job.id, id);
  await clock.advance(4_400);
  await events.when("job_completed");
  assert.equal(starts.length, 2);
  assert.ok((starts[1] ?? 0) >= 4_321 && (starts[1] ?? 0) <= 4_361, `${starts[1]}`);
});

for (const leads of [true, false]) {
  test(`JS-49 JS-95 the near future is the scheduler's interval of a client that may lead, and the default of one that never leads: ${leads ? "may lead" : "never leads"}`, async (t) => {
    const clock = new ManualClock();
    const { start, insert, events } = await clientOnSqlite(t, {
      environment: manualEnvironment(clock),
      client: {
        ...ALONE,
        leaderElectionDisabled: !leads,
        maintenance: { schedulerInterval: { minutes: 1 } },
        retryPolicy: (_, now) => now.add({ seconds: 60 }),
      },
      handler: ({ job }) => {
        if (job.args["n"] === 0) throw new Error("once");
        return snooze({ seconds: job.args["n"] === 1 ? 60 : 61 });
      },
    });
    await insert(3);
    await start();
    await advanceUntil(clock, events.when("job_snoozed", 2), 10);
    await advanceUntil(clock, events.when("job_failed"), 10);
    const states = [...events.of("job_failed"), ...events.of("job_snoozed")].map(({ job }) => [
      Number(job.args["n"]),
      job.state,
    ]);
    assert.deepEqual(
      states.toSorted(([a], [b]) => Number(a) - Number(b)),
      [
        [0, leads ? "available" : "retryable"],
        [1, leads ? "available" : "scheduled"],
        [2, "scheduled"],
      ],
    );
  });
}
