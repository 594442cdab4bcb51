/** Retries by hand of jobs whose unique keys others hold by now: one, several, and all that a filter finds. */
import assert from "node:assert/strict";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { type Client, discard, type JobRow, type JobState, UniqueConflictError } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene, type Scene, task } from "../src/scene.ts";

failOnLeaks();

/** Once discarded, a job lets go of its key. */
const unique = {
  byArgs: ["key"],
  byState: ["available", "pending", "retryable", "running", "scheduled"] as JobState[],
};

/** What became of one retry. */
interface Retried {
  readonly id: bigint;
  readonly state: JobState | null;
  readonly holderId: bigint | null;
}

/** Retries every job on its own, so that one that is refused costs the others nothing. */
async function retryAll(client: Client, ids: readonly bigint[]): Promise<Retried[]> {
  return Promise.all(
    ids.map(async (id) => {
      try {
        return { id, state: (await client.jobs.retry(id))?.state ?? null, holderId: null };
      } catch (error) {
        assert.ok(error instanceof UniqueConflictError, String(error));
        return { id, state: null, holderId: error.holderId };
      }
    }),
  );
}

/** A (discarded, key `K`), B (available, key `K`), D (discarded, without a key). */
async function conflict({ client, start, events }: Scene): Promise<{ a: JobRow; b: JobRow; d: bigint }> {
  const a = await client.insert(task, { n: 1, key: "K" }, { unique });
  const d = await client.insert(task, { n: 2 });
  const run = await start();
  await events.when("job_failed", 2);
  await client.queues.pause("default");
  await events.when("queue_paused");
  const b = await client.insert(task, { n: 3, key: "K" }, { unique });
  assert.equal(b.status, "inserted");
  assert.equal(run.state, "running");
  return { a: (await client.jobs.get(a.job.id)) as JobRow, b: b.job, d: d.job.id };
}

onBothDatabases(
  "C10 a retry into a taken key names the holder and changes nothing; beside it others are retried",
  async (t, database) => {
    const scene = openScene(t, database, {
      handler: ({ job }) =>
        job.attempt === 1 && Number(job.args["n"]) < 3 ? discard({ reason: "first time" }) : undefined,
    });
    const { client, events, row, calls } = scene;
    const { a, b, d } = await conflict(scene);
    await assert.rejects(client.jobs.retry(a.id), {
      code: "unique_conflict",
      holderId: b.id,
      retryable: false,
      message: new RegExp(`\\b${a.id}\\b.*\\b${b.id}\\b`),
    });
    assert.deepEqual(await row(a.id), a);
    assert.deepEqual(await retryAll(client, [a.id, d]), [
      { id: a.id, state: null, holderId: b.id },
      { id: d, state: "available", holderId: null },
    ]);
    assert.deepEqual(await row(a.id), a);
    await client.queues.resume("default");
    await events.when("job_completed", 2);
    assert.deepEqual(
      calls.toSorted((x, y) => x - y),
      [1, 2, 2, 3],
    );
    // The key is free again, so now A may go.
    assert.equal((await client.jobs.retry(a.id))?.state, "available");
    await events.when("job_completed", 3);
    assert.deepEqual(events.jobKinds(), { job_started: 5, job_failed: 2, job_completed: 3 });
  },
);

onBothDatabases(
  "C10 retrying all discarded jobs while others are worked gives counts that add up",
  async (t, database) => {
    const release = Promise.withResolvers<void>();
    const scene = openScene(t, database, {
      handler: async ({ job }) => {
        const n = Number(job.args["n"]);
        if (n < 10) return job.attempt === 1 ? discard({ reason: "first time" }) : undefined;
        if (n === 10) await withDeadline(release.promise, "the retries");
        return undefined;
      },
    });
    const { client, events, start, calls, states } = scene;
    const keyed = await client.insertMany(
      [1, 2, 3, 4].map((n) => ({ job: task, args: { n, key: n }, options: { unique } })),
    );
    await client.insertMany([5, 6, 7, 8, 9].map((n) => ({ job: task, args: { n } })));
    await start();
    await events.when("job_failed", 9);
    // The keys of two are taken by jobs that run all the while; more jobs keep the queue busy.
    const holders = await client.insertMany(
      [1, 2].map((key) => ({ job: task, args: { n: 10, key }, options: { unique } })),
    );
    await client.insertMany(Array.from({ length: 50 }, () => ({ job: task, args: { n: 11 } })));
    await events.when("job_started", 2, ({ job }) => job.args["n"] === 10);
    const { jobs: discarded } = await client.jobs.list({ states: ["discarded"] });
    assert.equal(discarded.length, 9);
    const results = await retryAll(
      client,
      discarded.map(({ id }) => id),
    );
    assert.deepEqual(
      results.filter(({ state }) => state === null).map(({ id, holderId }) => [id, holderId]),
      [0, 1].map((index) => [keyed[index]?.job.id, holders[index]?.job.id]),
    );
    assert.equal(results.filter(({ state }) => state === "available").length, 7);
    await events.when("job_completed", 7, ({ job }) => Number(job.args["n"]) < 10);
    assert.deepEqual(
      (await client.jobs.list({ states: ["discarded"] })).jobs.map(({ id }) => id),
      keyed.slice(0, 2).map(({ job }) => job.id),
    );
    release.resolve();
    await events.when("job_completed", 59);
    assert.deepEqual(await states(), { completed: 59, discarded: 2 });
    assert.equal(calls.length, 9 + 7 + 2 + 50);
  },
);

onBothDatabases("C10 inside a transaction a refused retry is the caller's to roll back", async (t, database) => {
  const scene = openScene(t, database, {
    handler: ({ job }) =>
      job.attempt === 1 && Number(job.args["n"]) < 3 ? discard({ reason: "first time" }) : undefined,
  });
  const { client, row } = scene;
  const { a, b, d } = await conflict(scene);
  const own = await database.begin();
  assert.equal((await client.jobs.retry(d, { tx: own.tx }))?.state, "available");
  await assert.rejects(client.jobs.retry(a.id, { tx: own.tx }), UniqueConflictError);
  await own.rollback();
  assert.deepEqual([await row(a.id), (await row(b.id)).state, (await row(d)).state], [a, "available", "discarded"]);
});
