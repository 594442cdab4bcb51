/** Starts a client without work and stops it when told to, or fails it when told to; it never ends the process itself. */
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Client, ConfigurationError, defineJob, Workers } from "riverqueue";
import { interceptedDriver } from "../../testdata/intercepted-driver.ts";

const [, , path = ""] = process.argv;
let broken = false;
const driver = interceptedDriver(new SqliteDriver(new DatabaseSync(path)), (verb, _, proceed) => {
  if (broken && verb === "jobs.claim") throw new ConfigurationError("broken on purpose");
  return proceed();
});
const client = new Client(driver, {
  queues: { default: { maxWorkers: 1, fetchCooldown: { milliseconds: 10 }, pollInterval: { milliseconds: 10 } } },
  workers: new Workers().add(defineJob({ kind: "task" }), () => {}),
  logger: false,
});
const run = await client.start();
const signals = process.eventNames().filter((name) => String(name).startsWith("SIG"));
say({ started: true, signals });
process.once("beforeExit", () => say({ ended: run.state }));

const ordered = hear();
// Nothing but the client is to keep this process alive: the channel would, and so would a timer that counts.
process.stdin.unref();
setTimeout(() => say({ alive: true }), 100).unref();
const order = await ordered;
if (order === "stop") await run.stop();
else if (order === "fail") broken = true;
