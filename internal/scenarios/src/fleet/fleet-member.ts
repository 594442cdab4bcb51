/**
 * Child process: one client of a fleet. Arguments: backend, address, client ID, seed, scale. It starts at once, says
 * `working`, and stops gracefully at the parent's next message.
 */
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Client, type ClientOptions, Workers } from "riverqueue";
import { CallRecorder } from "./call-recorder.ts";
import { FleetHandler, fleetRetryTime } from "./fleet-handler.ts";
import { fleetJob } from "./fleet-job.ts";
import type { FleetBackend } from "./fleet-store.ts";
import { fleetTiming } from "./fleet-timing.ts";
import { openStore } from "./open-store.ts";

const [backend = "sqlite", address = "", clientId = "", seed = "", scale = "1"] = process.argv.slice(2);
const store = openStore(backend as FleetBackend, address);
const timing = fleetTiming(Number(scale));
const handler = new FleetHandler(seed, timing, new CallRecorder(store));

const workers = new Workers().add(fleetJob, (context) => handler.work(context), {
  retryPolicy: (job, now) => fleetRetryTime(seed, timing, job, now),
});
const options: ClientOptions = {
  clientId,
  queues: { default: { maxWorkers: 60, fetchCooldown: { milliseconds: 20 }, pollInterval: { milliseconds: 200 } } },
  workers,
  logger: false,
  jobTimeout: milliseconds(timing.jobTimeoutMs),
  queueControlPollInterval: { milliseconds: 500 },
  maintenance: {
    rescueAfter: milliseconds(timing.rescueAfterMs),
    rescuerInterval: milliseconds(timing.rescuerIntervalMs),
    electionInterval: milliseconds(timing.electionIntervalMs),
    schedulerInterval: milliseconds(timing.schedulerIntervalMs),
  },
};
const run = await new Client(store.driver, options).start();
say("working");
await hear();
await run.stop();
await run.completed;
await store.close();

function milliseconds(ms: number): Temporal.DurationLike {
  return { milliseconds: Math.ceil(ms) };
}
