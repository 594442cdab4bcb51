/**
 * What computing handlers do to the event loop of their client: its delay while they run in process, while they run in two
 * threads, and with nothing to do, in one run on a SQLite database in memory. Prints percentiles of
 * `monitorEventLoopDelay({ resolution: 1 })` in milliseconds.
 *
 *     node --conditions=@riverqueue/source bench/src/threads-loop-delay.ts [--seconds=5]
 *
 * The target: with two threads that compute all the time the 99th percentile stays below 20 ms.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { WorkerThreads } from "@riverqueue/worker-threads";
import { Client, defineJob, type JobDefinition, type JsonObject, type RunHandle, Workers } from "riverqueue";
import { computeFor } from "./compute-for.ts";

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const MEASURED_MS = Number(options.seconds) * 1_000;
/** How long one job computes. */
const JOB_MS = 50;
const NANOSECONDS_PER_MS = 1_000_000;

const inProcess = defineJob({ kind: "in_process" });
const inThreads = defineJob({ kind: "in_threads" });

/** Inserts jobs enough to keep two workers busy and watches the loop meanwhile. */
async function measure(
  name: string,
  client: Client,
  run: RunHandle,
  job: JobDefinition<JsonObject, JsonObject> | null,
): Promise<void> {
  const count = job === null ? 0 : Math.ceil((MEASURED_MS / JOB_MS) * 2);
  if (job !== null) await client.insertMany(Array.from({ length: count }, () => ({ job, args: { ms: JOB_MS } })));
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS / 5));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS / 2));
  delay.disable();
  const cells = [delay.percentile(50), delay.percentile(99), delay.max].map((value) =>
    (value / NANOSECONDS_PER_MS).toFixed(1),
  );
  console.log(`| ${name} | ${cells.join(" | ")} |`);
  const { eventLoopDelay } = run.diagnostics;
  if (eventLoopDelay !== null) {
    const max = eventLoopDelay.max.total({ unit: "milliseconds" }).toFixed(1);
    console.log(`    run.diagnostics.eventLoopDelay.max: ${max} ms, which includes its own interval of 20 ms`);
  }
  if (job !== null) await client.jobs.deleteMany({ kinds: [job.kind], states: ["available"], limit: 10_000 });
}

async function main(): Promise<void> {
  const driver = SqliteDriver.memory();
  await createMigrator(driver).migrateUp();
  await using executor = new WorkerThreads({ maxThreads: 2 });
  const module = new URL("./compute-for.ts", import.meta.url);
  const workers = new Workers()
    .add(inProcess, computeFor)
    .addExecutor(inThreads, executor.handler(inThreads, { exportName: "computeFor", module }));
  const client = new Client(driver, {
    queues: { default: { maxWorkers: 4, fetchCooldown: { milliseconds: 10 }, pollInterval: { milliseconds: 100 } } },
    workers,
    eventLoopDelay: { reportInterval: { milliseconds: Math.max(100, MEASURED_MS / 4) } },
  });
  const run = await client.start();
  console.log("delay of the event loop in ms, monitorEventLoopDelay({ resolution: 1 })");
  console.log("| handlers | p50 | p99 | max |");
  console.log("|---|---|---|---|");
  await measure("none", client, run, null);
  await measure("two threads, computing", client, run, inThreads);
  await measure("in process, computing", client, run, inProcess);
  await run.stop({ mode: "cancel" });
}

await main();
