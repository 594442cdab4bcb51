/** What a stop leaves of jobs whose claim was on its way, and of work that never ends. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { LifecycleError, snooze } from "riverqueue";
import { onBothDatabases, onPostgres, postgresDatabase } from "../src/database.ts";
import { openScene, quickQueue, task } from "../src/scene.ts";

failOnLeaks();

/** Attempts that the jobs have had before. */
const FORMER = [0, 3, 24];

for (const mode of ["cancel", "graceful"] as const) {
  const ends = mode === "cancel" ? "gives every attempt back as it was" : "works what it returns, and claims no more";
  onPostgres(`C15 a ${mode} stop while the answer to a claim is delayed ${ends}`, async (t, lease) => {
    const proxy = await startPostgresProxy(t, lease.url);
    const other = openScene(t, postgresDatabase(lease));
    const ids = await other.insert(FORMER.length);
    for (const [n, id] of ids.entries()) {
      await lease.query("UPDATE river_job SET attempt = $1 WHERE id = $2", [FORMER[n], id]);
    }
    const answer = proxy.delayAnswers("SELECT due.id FROM");
    const { start, events, row, calls } = openScene(t, postgresDatabase(lease, { connectionString: proxy.url }), {
      client: { leaderElectionDisabled: true },
    });
    const run = await start();
    await pollUntil(async () => (await other.states())["running"] === FORMER.length);
    let stopped = false;
    const stop = run.stop({ mode }).then(() => (stopped = true));
    // What comes later is for others: no further claim is made.
    await other.insert(5);
    assert.equal(stopped, false, "the stop waits for the claim");
    assert.equal(run.state, "stopping");
    answer();
    await withDeadline(stop, "the stop");
    const worked = mode === "graceful" ? FORMER.length : 0;
    assert.equal(calls.length, worked);
    const { available = 0, completed = 0, ...others } = await other.states();
    assert.deepEqual([available, completed, others], [5 + FORMER.length - worked, worked, {}]);
    for (const [n, id] of ids.entries()) {
      const { attempt, errors } = await row(id);
      assert.deepEqual([attempt, errors.length], [(FORMER[n] ?? 0) + (worked > 0 ? 1 : 0), 0]);
    }
    const interrupted = { job_interrupted: FORMER.length };
    assert.deepEqual(events.jobKinds(), worked === 0 ? interrupted : { job_started: worked, job_completed: worked });
  });
}

onBothDatabases(
  "C15 a stop against handlers that snooze for no time: every call has been given back",
  async (t, database) => {
    let open = 0;
    const { start, insert, events, calls } = openScene(t, database, {
      client: { queues: { default: quickQueue(50) } },
      handler: async () => {
        open++;
        await new Promise(setImmediate);
        open--;
        return snooze({ seconds: 0 });
      },
    });
    await insert(50, { maxAttempts: 1 });
    const run = await start();
    await events.when("job_snoozed", 200);
    await withDeadline(run.stop(), "the stop");
    const ended = calls.length;
    assert.equal(open, 0);
    await new Promise(setImmediate);
    assert.equal(calls.length, ended, "nothing starts after the stop");
    const key = database.backend === "postgres" ? "snoozes" : "$.snoozes";
    const rows = await database.query(`SELECT state, attempt, metadata ->> '${key}' AS snoozes FROM river_job`);
    assert.ok(rows.every(({ state, attempt }) => state === "available" && attempt === 0));
    assert.equal(
      rows.reduce((sum, { snoozes }) => sum + Number(snoozes), 0),
      ended,
    );
    assert.equal(events.of("job_snoozed").length, ended);
  },
);

onBothDatabases(
  "C15 a stop while two programs go on inserting: only what was started is worked",
  async (t, database) => {
    const { client, start, events, calls, states } = openScene(t, database, {
      client: { queues: { default: quickQueue(2) } },
    });
    const other = openScene(t, database.again());
    const run = await start();
    const inserted = [client, other.client].map(async (inserter) => {
      let count = 0;
      // Beyond the end of the stop, so that it had no moment of rest.
      for (; run.state !== "stopped"; count++) await inserter.insert(task, {});
      await inserter.insert(task, {});
      return count + 1;
    });
    await events.when("job_completed", 6);
    await withDeadline(run.stop(), "the stop");
    const [first = 0, second = 0] = await Promise.all(inserted);
    assert.deepEqual(await states(), { available: first + second - calls.length, completed: calls.length });
    assert.equal(events.of("job_completed").length, calls.length);
  },
);

onBothDatabases(
  "C15 a client is stopped twice at the moment its start resolves, and is not started again",
  async (t, database) => {
    const { client, insert, states, events, calls } = openScene(t, database);
    await insert(50);
    const starting = client.start();
    await assert.rejects(client.start(), LifecycleError);
    const stopped = starting.then(async (run) => {
      await Promise.all([run.stop(), run.stop({ mode: "cancel" }), run.completed]);
      return run;
    });
    const run = await withDeadline(stopped, "the stops");
    assert.equal(run.state, "stopped");
    const { available = 0, completed = 0, ...others } = await states();
    assert.deepEqual([available, completed, others], [50 - calls.length, calls.length, {}]);
    assert.equal(events.of("job_completed").length, calls.length);
    await run.stop();
    await assert.rejects(client.start(), LifecycleError);
  },
);
