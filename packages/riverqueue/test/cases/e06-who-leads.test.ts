/** A client that knows some kinds and never leads, beside one that knows all, and alone. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { defineJob } from "../../src/definition/define-job.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { Workers } from "../../src/work/workers.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const report = defineJob({ kind: "report" });
const MODEST = { leaderElectionDisabled: true, fetchOnlyKnownKinds: true, jobTimeout: null } as const;

for (const first of ["X", "Y"] as const) {
  test(`E06 X never leads and knows one kind, Y knows all, ${first} starts first: periodic, scheduled and stuck jobs of Y are served while X works`, async (t) => {
    const clock = new ManualClock();
    const environment = manualEnvironment(clock);
    const queues = { default: { maxWorkers: 1, pollInterval: { seconds: 1 } } };
    const finish = deferred<void>();
    const calls: string[] = [];
    const x = await clientOnSqlite(t, {
      environment,
      client: { ...MODEST, clientId: "X", queues },
      handler: async () => {
        calls.push("X task");
        await finish.promise;
      },
    });
    const workers = new Workers()
      .add(task, () => void calls.push("Y task"))
      .add(report, ({ job }) => void calls.push(`Y report ${JSON.stringify(job.args["what"])}`));
    const y = await clientOnSqlite(t, {
      environment,
      database: x.database,
      client: {
        clientId: "Y",
        workers,
        queues: { ...queues, reports: { maxWorkers: 1, pollInterval: { seconds: 1 } } },
        periodicJobs: [
          periodicJob({
            job: report,
            id: "each_minute",
            every: { minutes: 1 },
            args: { what: "periodic" },
            options: { queue: "reports" },
          }),
        ],
      },
    });
    await x.insert(1);
    const start = { X: x.start, Y: y.start };
    if (first === "X") {
      await start.X();
      await x.events.when("job_started");
      await start.Y();
    } else {
      // Y must not take X's job.
      await y.client.queues.pause("default");
      await start.Y();
      await advanceUntil(clock, y.events.when("leader_acquired"), 100);
      await y.client.queues.resume("default");
      await start.X();
      await advanceUntil(clock, Promise.race([x.events.when("job_started"), y.events.when("job_started")]), 100);
    }
    const before = clock.now().subtract({ hours: 2 });
    const [stuck = 0n] = insertRawJobs(x.sql, before, [
      { kind: "report", queue: "reports", state: "running", attempt: 1, attemptedAt: before, args: '{"what":"stuck"}' },
    ]);
    await x.client.insert(report, { what: "scheduled" }, { queue: "reports", delay: { seconds: 20 } });
    await advanceUntil(
      clock,
      y.events.when("job_completed", 3, ({ job }) => job.kind === "report"),
    );
    const reports = ["periodic", "scheduled", "stuck"].map((what) => `Y report "${what}"`);
    assert.deepEqual(calls.filter((call) => call.startsWith("Y report")).toSorted(), reports);
    const { state, attempt, errors } = await x.row(stuck);
    assert.deepEqual([state, attempt, errors.length], ["completed", 2, 1]);
    assert.equal((await y.client.inspect.leader())?.leaderId, "Y");
    assert.equal(x.events.of("leader_acquired").length, 0);
    if (first === "X") {
      assert.equal(calls.filter((call) => call === "X task").length, 1);
      assert.equal(x.events.of("job_completed").length, 0, "X was at work all the time");
      finish.resolve();
      await x.events.when("job_completed");
    }
    finish.resolve();
  });
}

test("E06 JS-92 X alone: what needs a leader stands still, what does not is worked", async (t) => {
  const clock = new ManualClock();
  const calls: unknown[] = [];
  const { start, client, insert, events, sql, row } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { ...MODEST, queues: { default: { maxWorkers: 5, pollInterval: { minutes: 1 } } } },
    handler: ({ job }) => {
      calls.push(job.args["n"]);
      if (job.args["n"] === 9 && job.attempt === 1) throw new Error("once");
    },
  });
  const long = clock.now().subtract({ hours: 10 });
  const past = clock.now().subtract({ minutes: 1 });
  const ids = insertRawJobs(sql, long, [
    { kind: "task", state: "scheduled", scheduledAt: past },
    { kind: "task", state: "retryable", attempt: 1, scheduledAt: past },
    { kind: "task", state: "running", attempt: 1, attemptedAt: long },
    { kind: "task", state: "completed", attempt: 1, finalizedAt: long.subtract({ hours: 240 }) },
    { kind: "report", state: "available" },
  ]);
  const run = await start();
  assert.equal(run.diagnostics.maintenance, null);
  await clock.advance(3 * 3_600_000);
  assert.deepEqual(calls, []);
  // Marks the end of the wait; its first retry is near, and needs no leader either.
  await client.insert(task, { n: 9 });
  await advanceUntil(clock, events.when("job_completed"));
  await insert(2);
  await advanceUntil(clock, events.when("job_completed", 3));
  assert.deepEqual(calls, [9, 9, 0, 1]);
  const states = [];
  for (const id of ids) states.push((await row(id)).state);
  assert.deepEqual(states, ["scheduled", "retryable", "running", "completed", "available"]);
  assert.equal(await client.inspect.leader(), null);
  assert.equal(events.of("leader_acquired").length, 0);
  assert.equal(sql.prepare("SELECT count(*) AS n FROM river_leader").get()?.["n"], 0);
});
