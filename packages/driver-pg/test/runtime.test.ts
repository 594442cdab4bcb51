/** A client of the core on Postgres, from insertion to the end of attempts. */
import assert from "node:assert/strict";
import { failOnLeaks, waitForItem } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { Client, defineJob, snooze, Workers } from "riverqueue";
import { driverFixture } from "./fixture/driver-fixture.ts";

failOnLeaks();

test("jobs are worked as soon as they are inserted, also by another client, and every end is stored", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const job = defineJob<{ readonly n: number }>()({ kind: "count" });
  const workers = new Workers().add(job, ({ job: { args, attempt } }) => {
    if (args.n === 1) throw new Error("boom");
    if (args.n === 2 && attempt === 1) return snooze({ hours: 1 });
    return undefined;
  });
  const client = new Client(driver, { queues: { default: { maxWorkers: 10, pollInterval: { hours: 1 } } }, workers });
  const events = client.subscribe();
  const run = await client.start();
  const producer = new Client(driver);
  const inserted = await producer.insertMany([0, 1, 2, 3].map((n) => ({ job, args: { n } })));
  const ends = new Map<bigint, string>();
  const wanted = ["job_completed", "job_failed", "job_snoozed"];
  while (ends.size < 4) {
    const event = await waitForItem(events, ({ kind }) => wanted.includes(kind));
    if ("job" in event) ends.set(event.job.id, event.kind);
  }
  await run.stop();
  assert.deepEqual(
    inserted.map(({ job: { id } }) => ends.get(id)),
    ["job_completed", "job_failed", "job_snoozed", "job_completed"],
  );
  const states = await lease.query("SELECT state FROM river_job ORDER BY id");
  assert.deepEqual(
    states.map(({ state }) => state),
    ["completed", "available", "scheduled", "completed"],
  );
  events.close();
});

test("a cancellation reaches a running job", async (t) => {
  const { driver } = await driverFixture(t);
  const job = defineJob({ kind: "wait" });
  const workers = new Workers().add(job, ({ signal }) => {
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const client = new Client(driver, { queues: { default: { maxWorkers: 1 } }, workers });
  const events = client.subscribe();
  const run = await client.start();
  const inserted = await client.insert(job, {});
  await waitForItem(events, ({ kind }) => kind === "job_started");
  await client.jobs.cancel(inserted.job.id);
  await waitForItem(events, ({ kind }) => kind === "job_cancelled");
  await run.stop();
  assert.equal((await client.jobs.get(inserted.job.id))?.state, "cancelled");
  events.close();
});
