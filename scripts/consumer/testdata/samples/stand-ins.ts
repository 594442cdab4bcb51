// What the samples of the documentation leave out: workers, a client to be stopped, and something to do for those that
// are only made. The database is the one that the environment variables of `pg` name.
import { PgDriver, type PgTransaction } from "@riverqueue/driver-pg";
import { Pool } from "pg";
import { Client, defineJob, Workers } from "riverqueue";

const encode = defineJob<{ file: string }>()({ kind: "encode_video" });
const foreign = defineJob<{ file: string }>()({ kind: "known_to_other_clients_only" });

export const videoWorkers = new Workers().add(encode, () => {});
export const migratedWorkers = videoWorkers;

// From then on the program can be stopped.
process.on("newListener", (name) => name === "SIGTERM" && console.log("listening for SIGTERM"));

export const client = new Client(new PgDriver(new Pool({ allowExitOnIdle: true })), {
  queues: { default: { maxWorkers: 1 } },
  workers: videoWorkers,
});

/**
 * Runs a client until it has worked a job of its queue, says what it was and what the client does not do, and ends the
 * program. With `withForeignJob` a job of a kind that the client does not know is inserted first.
 */
export async function workOne(
  running: Client<PgTransaction>,
  queue: string,
  withForeignJob: boolean = false,
): Promise<void> {
  const events = running.subscribe({ kinds: ["job_completed", "job_failed"] });
  const other = withForeignJob ? await running.insert(foreign, { file: "a" }, { queue }) : null;
  await running.insert(encode, { file: "b" }, { queue });
  const run = await running.start();
  const { value: event } = await events.next();
  if (event === undefined || event.kind === "subscription_lag") throw new Error("the events ended too early");
  console.log(`${event.kind} ${event.job.kind}`);
  console.log(`maintenance ${JSON.stringify(run.diagnostics.maintenance)}`);
  if (other !== null) console.log(`other ${(await running.jobs.get(other.job.id))?.state}`);
  await run.stop();
  // The pool of a sample has nobody who ends it, and its idle connections would hold the program up.
  process.exit();
}
