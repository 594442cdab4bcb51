// A small program of somebody who has installed the packages: one job that works, one that fails at first, a stop.
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { createReaction, defineCommand, defineEvent, on } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Client, defineJob, type JobRow, Workers } from "riverqueue";
import { z } from "zod";

const greet = defineJob({ kind: "greet", schema: z.object({ name: z.string(), at: z.string().optional() }) });
const flaky = defineJob<{ failures: number }>()({ kind: "flaky" });

const workers = new Workers<DatabaseSync>()
  .add(greet, ({ job, recordOutput }) => recordOutput(`hello ${job.args.name}`))
  .add(flaky, ({ job }) => {
    if (job.attempt <= job.args.failures) throw new Error(`attempt ${job.attempt} fails`);
  });

const database = new DatabaseSync("smoke.db");
await createMigrator({ database }).migrateUp();
using driver = new SqliteDriver(database);
const client = new Client(driver, {
  queues: { default: { maxWorkers: 2 } },
  workers,
  retryPolicy: (_job, now) => now,
  // The failure that it logs is meant, and its stack is different on every machine.
  logger: false,
});

const events = client.subscribe({ kinds: ["job_completed", "job_failed"] });
const greeting = await client.insert(greet, { name: "world" });
const [failing] = await client.insertMany([{ job: flaky, args: { failures: 1 } }]);
const run = await client.start();

const seen = new Set<string>();
while (seen.size < 3) {
  const { value: event } = await events.next();
  if (event === undefined || event.kind === "subscription_lag") throw new Error("the events ended too early");
  seen.add(`${event.kind} ${event.job.kind} ${event.job.attempt}`);
}
await run.stop({ timeout: { seconds: 30 } });
await run.completed;

const stored = async (id: bigint): Promise<JobRow> => {
  const job = await client.jobs.get(id);
  if (job === null) throw new Error(`job ${id} is gone`);
  return job;
};
const greeted = await stored(greeting.job.id);
const retried = await stored(failing.job.id);
console.log([...seen].toSorted().join(", "));
console.log(`${greeted.state} ${JSON.stringify(greeted.metadata["output"])}`);
console.log(`${retried.state} after ${retried.errors.map(({ error }) => error).join(", ")}`);
console.log(`run is ${run.state}`);

// An event with a command, on the same file.
await createMigrator({ database }, { line: "reaction" }).migrateUp();
const Greeted = defineEvent({ type: "greeted", schema: z.object({ name: z.string() }) });
const remember = defineCommand({ name: "remember", mode: "sync", schema: z.object({ name: z.string() }), execute: () => {} });
const home = createEmbeddedHome({ driver });
const reaction = createReaction({
  policies: [on(Greeted, ({ event }) => [remember.with(event.payload)])],
  ...home.parts,
});
const ctx = home.workerCtx();
const greetedEvent = Greeted.create({ idempotencyKey: "greeted:world", payload: { name: "world" } });
const { status, commands } = await reaction.processor.emit(ctx, greetedEvent);
console.log(`event is ${status}, ${commands.map((command) => `${command.name} ${command.status}`).join(", ")}`);
home.close();
