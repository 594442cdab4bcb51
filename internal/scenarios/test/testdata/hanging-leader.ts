/** Child process: leads, and gets stuck while it decides about the first job whose arguments need decoding. */
import { PgDriver } from "@riverqueue/driver-pg";
import { say } from "@riverqueue/internal-test-kit/parent-channel";
import { Pool } from "pg";
import { Client, defineJob, Workers } from "riverqueue";
import { endless, maintenance, task } from "./rescue-kinds.ts";

const [, , connectionString = ""] = process.argv;
const hanging = defineJob({
  kind: "strict",
  decode: () => {
    say("decides");
    return new Promise<never>(() => {});
  },
});
const workers = new Workers()
  .add(task, () => {})
  .add(hanging, () => {})
  .add(endless, () => {}, { timeout: null });
const client = new Client(new PgDriver(new Pool({ connectionString })), {
  queues: { elsewhere: { maxWorkers: 1 } },
  workers,
  maintenance,
  logger: false,
});
const events = client.subscribe({ kinds: ["leader_acquired"] });
await client.start();
await events.next();
say("leads");
