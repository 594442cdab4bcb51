/** Works some jobs and says how long the event loop was held up meanwhile. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { Client, type JsonObject, type Workers } from "riverqueue";
import { findPrime } from "./jobs.ts";

/** What one way of working has come to. */
export interface Measured {
  /** Largest prime that was found. */
  readonly prime: number;
  /** 99th percentile of the loop's delay, and its longest one, in milliseconds. */
  readonly p99Ms: number;
  readonly maxMs: number;
}

const NANOSECONDS_PER_MS = 1_000_000;

/** Works `jobs` searches for the prime with that ordinal, on a database in memory. */
export async function measure(workers: Workers, ordinal: number, jobs: number): Promise<Measured> {
  const driver = SqliteDriver.memory();
  await createMigrator(driver).migrateUp();
  const client = new Client(driver, {
    queues: { default: { maxWorkers: 4, fetchCooldown: { milliseconds: 10 }, pollInterval: { milliseconds: 100 } } },
    workers,
    // Its interval of 20 ms would be part of every figure of run.diagnostics.eventLoopDelay.
    eventLoopDelay: false,
  });
  const completions = client.subscribe({ kinds: ["job_completed"] });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const run = await client.start();
  await client.insertMany(Array.from({ length: jobs }, () => ({ job: findPrime, args: { ordinal } })));
  let prime = 0;
  let left = jobs;
  for await (const event of completions) {
    if (event.kind !== "job_completed") continue;
    prime = Math.max(prime, Number((event.job.metadata["output"] as JsonObject)["prime"]));
    if (--left === 0) break;
  }
  // A delay is noted when the loop turns again, and handlers in process may just have let go of it.
  await nextTurn();
  await nextTurn();
  delay.disable();
  await run.stop();
  driver.close();
  return { prime, p99Ms: delay.percentile(99) / NANOSECONDS_PER_MS, maxMs: delay.max / NANOSECONDS_PER_MS };
}
