/** A client that knows some kinds and never leads, beside one that knows all, and alone. */
import assert from "node:assert/strict";
import { failOnLeaks, scaled } from "@riverqueue/internal-test-kit";
import { type ClientOptions, defineJob, periodicJob, stringifyJson, Workers } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { insertRaw } from "../src/raw-jobs.ts";
import { openScene, quickQueue, task } from "../src/scene.ts";

failOnLeaks();

const report = defineJob({ kind: "report" });
const MODEST = { leaderElectionDisabled: true, fetchOnlyKnownKinds: true, jobTimeout: null } as const;
const HOUR_MS = 3_600_000;

/** Y's services come often, and so does its periodic job. */
function leading(calls: string[]): ClientOptions {
  const interval = { milliseconds: scaled(2_000) };
  return {
    clientId: "Y",
    workers: new Workers()
      .add(task, () => void calls.push("Y task"))
      .add(report, ({ job }) => void calls.push(`Y report ${stringifyJson(job.args["what"] ?? null)}`)),
    queues: { default: quickQueue(1), reports: quickQueue(1) },
    retryPolicy: (_, now) => now.add({ milliseconds: 10 }),
    maintenance: { electionInterval: interval, rescuerInterval: interval, schedulerInterval: interval },
    periodicJobs: [
      periodicJob({
        job: report,
        id: "often",
        every: { milliseconds: scaled(10_000) },
        args: { what: "periodic" },
        options: { queue: "reports" },
      }),
    ],
  };
}

for (const first of ["X", "Y"] as const) {
  onBothDatabases(
    `E06 X never leads and knows one kind, Y knows all, ${first} starts first: periodic, scheduled and stuck jobs of Y are served while X works`,
    async (t, database) => {
      const finish = Promise.withResolvers<void>();
      const calls: string[] = [];
      const x = openScene(t, database, {
        client: { ...MODEST, clientId: "X", queues: { default: quickQueue(1) } },
        handler: async () => {
          calls.push("X task");
          await finish.promise;
        },
      });
      const y = openScene(t, database.again(), { client: leading(calls) });
      if (first === "Y") {
        const run = await y.start();
        await y.events.when("leader_acquired");
        // Y must not take X's job.
        await run.removeQueue("default");
      }
      await x.start();
      await x.insert(1);
      await x.events.when("job_started");
      if (first === "X") await y.start();

      const [stuck = 0n] = await insertRaw(database, [
        {
          kind: "report",
          queue: "reports",
          state: "running",
          attempt: 1,
          attemptedIn: -2 * HOUR_MS,
          args: '{"what":"stuck"}',
        },
      ]);
      await x.client.insert(
        report,
        { what: "scheduled" },
        { queue: "reports", delay: { milliseconds: scaled(10_000) } },
      );
      for (const what of ["periodic", "scheduled", "stuck"]) {
        await y.events.when("job_completed", 1, ({ job }) => job.args["what"] === what);
      }
      const { state, attempt, errors } = await x.row(stuck);
      assert.deepEqual([state, attempt, errors.length], ["completed", 2, 1]);
      for (const what of ["scheduled", "stuck"]) {
        assert.equal(calls.filter((call) => call === `Y report "${what}"`).length, 1);
      }
      assert.equal((await y.client.inspect.leader())?.leaderId, "Y");
      assert.equal(x.events.of("leader_acquired").length, 0);
      assert.deepEqual([calls.filter((call) => call === "X task").length, x.events.of("job_completed").length], [1, 0]);
      finish.resolve();
      await x.events.when("job_completed");
    },
  );
}

onBothDatabases("E06 JS-92 X alone: what needs a leader stands still, what does not is worked", async (t, database) => {
  const interval = { milliseconds: 5 };
  const { start, client, insert, events, row, calls } = openScene(t, database, {
    client: {
      ...MODEST,
      // Without effect on one that never leads.
      maintenance: {
        electionInterval: interval,
        jobCleanerInterval: interval,
        rescuerInterval: interval,
        schedulerInterval: interval,
      },
      retryPolicy: (_, now) => now.add({ milliseconds: 10 }),
    },
    handler: ({ job }) => {
      if (job.args["n"] === 9 && job.attempt === 1) throw new Error("once");
    },
  });
  const ids = await insertRaw(database, [
    { state: "scheduled", scheduledIn: -HOUR_MS },
    { state: "retryable", attempt: 1, scheduledIn: -HOUR_MS },
    { state: "running", attempt: 1, attemptedIn: -10 * HOUR_MS },
    { state: "completed", attempt: 1, finalizedIn: -240 * HOUR_MS },
    { kind: "report" },
  ]);
  const run = await start();
  assert.equal(run.diagnostics.maintenance, null);
  // Its first retry is near, and needs no leader either.
  await client.insert(task, { n: 9 });
  await events.when("job_completed");
  await insert(2);
  await events.when("job_completed", 3);
  assert.deepEqual(calls, [9, 9, 1, 2]);
  const states = [];
  for (const id of ids) states.push((await row(id)).state);
  assert.deepEqual(states, ["scheduled", "retryable", "running", "completed", "available"]);
  assert.equal(await client.inspect.leader(), null);
  assert.equal(events.of("leader_acquired").length, 0);
  assert.equal(events.of("maintenance_succeeded").length, 0);
});
