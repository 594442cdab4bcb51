/**
 * Child process: a client that would find jobs by polling only after an hour. Says `"ready"`, the argument `n` of each
 * job it has worked, how many jobs each claim brought, and in the end how many connections its pool has and what it complained about.
 */
import { PgDriver } from "@riverqueue/driver-pg";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Pool } from "pg";
import { Client, defineJob, Workers } from "riverqueue";

const [, , connectionString = ""] = process.argv;
const pool = new Pool({ connectionString });
pool.on("error", () => {});
const complaints: string[] = [];
const complain = (_: unknown, message: string): void => void complaints.push(message);
const workers = new Workers().add(defineJob({ kind: "task" }), ({ job }) => say({ worked: job.args["n"] }));
const client = new Client(new PgDriver(pool), {
  queues: { default: { maxWorkers: 5, pollInterval: { hours: 100 } } },
  queueControlPollInterval: { hours: 100 },
  maintenance: { schedulerInterval: { hours: 100 } },
  workers,
  hooks: {
    onMetric: (metric) => {
      if (metric.name === "job_get_available_count") say({ claimed: metric.count });
    },
  },
  logger: { debug() {}, info() {}, warn: complain, error: complain },
});
const run = await client.start();
say("ready");
await hear();
say({ connections: pool.totalCount, idle: pool.idleCount, complaints });
await hear();
await run.stop();
await run.completed;
await pool.end();
