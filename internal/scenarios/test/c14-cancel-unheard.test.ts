/** Cancellations that find nobody listening, or come before the handler does. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, testScale } from "@riverqueue/internal-test-kit";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { JobCancelledError } from "riverqueue";
import { aborted } from "../src/aborted.ts";
import { onBothDatabases, onPostgres, postgresDatabase } from "../src/database.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

const waitForAbort = async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
  throw await aborted(signal);
};

/** Nothing is found by polling in the time of a test. */
const UNPOLLED = { maxWorkers: 2, fetchCooldown: { milliseconds: 5 }, pollInterval: { hours: 1 } };
/** Failed subscriptions of an outage; the fifth comes after three seconds. */
const FAILURES = testScale >= 20 ? 3 : 5;

onPostgres(
  "C14 JS-68 JS-69 each time the notification connection is back, queues, controls and cancellations are looked at",
  async (t, lease) => {
    const proxy = await startPostgresProxy(t, lease.url);
    const database = postgresDatabase(lease, { connectionString: proxy.url });
    const { start, events, logs, metrics } = openScene(t, database, {
      handler: ({ job, signal }) => (job.queue === "waiting" ? waitForAbort({ signal }) : undefined),
      client: {
        jobTimeout: null,
        leaderElectionDisabled: true,
        queueControlPollInterval: { hours: 1 },
        queues: { waiting: UNPOLLED, quick: UNPOLLED, paused: UNPOLLED },
      },
    });
    // Somebody whom the outage does not reach. All else is asked here, so that the worker has no connection to spare.
    const { client, insert, row } = openScene(t, postgresDatabase(lease));
    await start();
    const losses = (): number =>
      logs.filter(({ message }) => message === "the notification stream broke; subscribing again").length;
    const claimed = (queue: string): number | undefined =>
      metrics.filter((metric) => metric.name === "job_get_available_count").findLast((metric) => metric.queue === queue)
        ?.count;
    for (let outage = 1; outage <= 2; outage++) {
      const [waiting = 0n] = await insert(1, { queue: "waiting" });
      await events.when("job_started", 1, ({ job }) => job.id === waiting);
      // No claim is to come that would find the next job by chance.
      await pollUntil(() => claimed("quick") === 0);
      const before = [losses(), events.all.length] as const;
      proxy.accept(false);
      proxy.cut("LISTEN");
      await pollUntil(() => losses() > before[0]);
      await client.jobs.cancel(waiting);
      await (outage === 1 ? client.queues.pause("paused") : client.queues.resume("paused"));
      await client.queues.update("quick", { metadata: { outage } });
      const [quick = 0n] = await insert(1, { queue: "quick" });
      await pollUntil(() => losses() >= before[0] + FAILURES);
      assert.equal(events.all.length, before[1], "nothing of it was heard");
      proxy.accept(true);
      await events.when("job_cancelled", 1, ({ job }) => job.id === waiting);
      await events.when("job_completed", 1, ({ job }) => job.id === quick);
      await events.when(outage === 1 ? "queue_paused" : "queue_resumed");
      await events.when("queue_updated", outage);
      const { state, attempt, errors } = await row(waiting);
      assert.deepEqual([state, attempt, errors[0]?.error], ["cancelled", 1, "JobCancelError: job cancelled remotely"]);
    }
    assert.deepEqual(events.kinds(), {
      job_started: 4,
      job_cancelled: 2,
      job_completed: 2,
      queue_paused: 1,
      queue_resumed: 1,
      queue_updated: 2,
    });
  },
);

onBothDatabases("C14 with pollOnly a cancellation is found by the next control poll", async (t, database) => {
  const { start, insert, client, events, row } = openScene(t, database, {
    handler: waitForAbort,
    client: {
      pollOnly: true,
      jobTimeout: null,
      leaderElectionDisabled: true,
      queueControlPollInterval: { milliseconds: 50 },
    },
  });
  const [id = 0n] = await insert();
  await start();
  await events.when("job_started");
  await client.jobs.cancel(id);
  await events.when("job_cancelled");
  const { state, errors } = await row(id);
  assert.deepEqual([state, errors[0]?.error], ["cancelled", "JobCancelError: job cancelled remotely"]);
});

for (const resolves of [false, true]) {
  onBothDatabases(
    `C14 JS-51 JS-52 a cancel while beforeWork is slow gives the handler an aborted signal; it ${resolves ? "resolves" : "throws"}`,
    async (t, database) => {
      const before = Promise.withResolvers<void>();
      const reasons: unknown[] = [];
      let entered: AbortSignal | undefined;
      const { start, insert, client, events, row } = openScene(t, database, {
        client: {
          hooks: {
            beforeWork: async ({ signal }) => {
              entered = signal;
              await before.promise;
            },
          },
        },
        handler: ({ signal }) => {
          reasons.push(signal.reason);
          if (!resolves) signal.throwIfAborted();
        },
      });
      const [id = 0n] = await insert();
      await start();
      await events.when("job_started");
      await client.jobs.cancel(id);
      await pollUntil(() => entered?.aborted);
      before.resolve();
      await events.when(resolves ? "job_completed" : "job_cancelled");
      assert.ok(reasons[0] instanceof JobCancelledError);
      assert.equal(reasons.length, 1);
      assert.equal((await row(id)).state, resolves ? "completed" : "cancelled");
    },
  );
}

for (const attempt of [1, 2]) {
  onPostgres(`C14 a cancel during the claim of a job's attempt ${attempt} reaches its handler`, async (t, lease) => {
    const proxy = await startPostgresProxy(t, lease.url);
    const other = openScene(t, postgresDatabase(lease));
    const [id = 0n] = await other.insert();
    await lease.query("UPDATE river_job SET attempt = $1", [attempt - 1]);
    const answer = proxy.delayAnswers("SELECT due.id FROM");
    const seen: boolean[] = [];
    const { start, events, row } = openScene(t, postgresDatabase(lease, { connectionString: proxy.url }), {
      client: { queueControlPollInterval: { hours: 1 } },
      handler: async ({ signal }) => {
        seen.push(signal.aborted);
        throw await aborted(signal);
      },
    });
    const run = await start();
    await pollUntil(async () => (await other.states())["running"] === 1);
    await other.client.jobs.cancel(id);
    // A notice that follows it on the same connection has been heard.
    await other.client.queues.update("default", { metadata: { heard: true } });
    await events.when("queue_updated");
    assert.equal(run.diagnostics.activeAttempts, 0);
    answer();
    await events.when("job_cancelled");
    if (attempt === 1) assert.deepEqual(seen, [true]);
    const { state, attempt: stored } = await row(id);
    assert.deepEqual([state, stored], ["cancelled", attempt]);
  });
}

onBothDatabases("C14 a cancel in a transaction that rolls back aborts nothing", async (t, database) => {
  const finish = Promise.withResolvers<void>();
  const { start, insert, client, events, row } = openScene(t, database, {
    client: { queueControlPollInterval: { milliseconds: 5 } },
    handler: async ({ signal }) => {
      await finish.promise;
      signal.throwIfAborted();
    },
  });
  const [id = 0n] = await insert();
  await start();
  await events.when("job_started");
  const own = await database.begin();
  await client.jobs.cancel(id, { tx: own.tx });
  await own.rollback();
  // Notices and control polls that come later have been heard.
  await client.queues.pause("default");
  await events.when("queue_paused");
  finish.resolve();
  await events.when("job_completed");
  assert.equal((await row(id)).metadata["cancel_attempted_at"], undefined);
});

onBothDatabases("C14 a cancellation that meant an attempt before this one does not abort it", async (t, database) => {
  const finish = Promise.withResolvers<void>();
  const { start, client, events, row } = openScene(t, database, {
    client: { retryPolicy: (_, now) => now, queueControlPollInterval: { milliseconds: 5 } },
    handler: async ({ job, signal }) => {
      if (job.attempt === 1) throw await aborted(signal);
      await finish.promise;
      signal.throwIfAborted();
    },
  });
  const { job } = await client.insert(task, {});
  await start();
  await events.when("job_started");
  await client.jobs.cancel(job.id);
  await events.when("job_cancelled");
  await client.jobs.retry(job.id);
  await events.when("job_started", 2);
  await client.queues.pause("default");
  await events.when("queue_paused");
  finish.resolve();
  await events.when("job_completed");
  assert.equal((await row(job.id)).attempt, 2);
});
