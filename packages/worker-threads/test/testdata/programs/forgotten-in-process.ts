/** A handler in process whose forgotten promise rejects after its end: what the process hears of it, and what else. */
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { waitForItem } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Client, defineJob, Workers } from "riverqueue";

const heard: string[] = [];
const forgotten = Promise.withResolvers<void>();
process.on("unhandledRejection", (reason) => {
  heard.push(String(reason));
  forgotten.resolve();
});

const leaving = defineJob({ kind: "leaving" });
const driver = SqliteDriver.memory();
await createMigrator(driver).migrateUp();
const client = new Client(driver, {
  queues: { default: { maxWorkers: 2, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } } },
  workers: new Workers().add(leaving, ({ job }) => {
    if (job.args["leave"] === true) setTimeout(() => void Promise.reject(new Error("forgotten")), 50);
  }),
});
const completions = client.subscribe({ kinds: ["job_completed"] });
const run = await client.start();
const { job } = await client.insert(leaving, { leave: true });
await waitForItem(completions, () => true);
await forgotten.promise;
await client.insert(leaving, { leave: false });
await waitForItem(completions, () => true);
const row = await client.jobs.get(job.id);
await run.stop();
driver.close();
console.log(JSON.stringify({ heard, state: row?.state, errors: row?.errors.length }));
