/**
 * Child process: its first job succeeds and forgets a promise, which rejects 50 ms after that was written; by then all
 * its other jobs run. Nobody in the process catches anything. Arguments: `postgres` or `sqlite`, the address.
 */
import { DatabaseSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { Pool } from "pg";
import { Client, defineJob, type RegisteredTransaction, Workers } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";

const [, , backend = "", address = "", count = ""] = process.argv;
const driver: RuntimeDriver<RegisteredTransaction> =
  backend === "postgres"
    ? new PgDriver(new Pool({ connectionString: address }))
    : new SqliteDriver(new DatabaseSync(address, { timeout: 5_000 }));
const written = Promise.withResolvers<void>();
const allRun = Promise.withResolvers<void>();

/** Rejects after the end of its attempt. */
async function forget(): Promise<never> {
  await written.promise;
  const late = Promise.withResolvers<never>();
  setTimeout(() => late.reject(new Error("forgotten")), 50);
  return late.promise;
}

const workers = new Workers().add(defineJob({ kind: "task" }), async ({ job }) => {
  if (job.args["n"] !== 1) return new Promise<never>(() => {});
  await allRun.promise;
  void forget();
  return undefined;
});
const client = new Client(driver, {
  queues: { default: { maxWorkers: 10, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } } },
  workers,
  jobTimeout: null,
  leaderElectionDisabled: true,
  logger: false,
});
const events = client.subscribe({ kinds: ["job_completed", "job_started"] });
await client.start();
let running = 0;
for await (const { kind } of events) {
  if (kind === "job_completed") written.resolve();
  else if (++running === Number(count)) allRun.resolve();
}
