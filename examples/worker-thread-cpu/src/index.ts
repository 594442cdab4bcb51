/**
 * Searches primes twice, in threads and in process, and prints how long the event loop was held up:
 *
 *     node --conditions=@riverqueue/source examples/worker-thread-cpu/src/index.ts [ORDINAL]
 */
import { WorkerThreads, type WorkerThreadModule } from "@riverqueue/worker-threads";
import { Workers } from "riverqueue";
import type * as handlers from "./handler.ts";
import { findPrime } from "./jobs.ts";
import { type Measured, measure } from "./measure.ts";
import { nthPrime } from "./nth-prime.ts";

const JOBS = 8;
/** What the loop is to stay below while threads compute: the 99th percentile of its delay, in milliseconds. */
const TARGET_MS = 20;
const ordinal = Number(process.argv[2] ?? 100_000);

// By the name that it has when it is compiled, whether it has been or not.
const module: WorkerThreadModule<typeof handlers> = new URL("./handler.js", import.meta.url);

await using executor = new WorkerThreads({ maxThreads: 2 });
const inThreads = new Workers().addExecutor(
  findPrime,
  executor.handler(findPrime, { exportName: "findPrimeHandler", module }),
);
const inProcess = new Workers().add(findPrime, ({ job, recordOutput, signal }) => {
  recordOutput({ prime: nthPrime(job.args.ordinal, signal) });
});

report("in threads", await measure(inThreads, ordinal, JOBS));
report("in process", await measure(inProcess, ordinal, JOBS));
console.log(`the target with threads is below ${TARGET_MS} ms (p99), on a machine that does nothing else`);

function report(where: string, { prime, p99Ms, maxMs }: Measured): void {
  const delay = `event loop delayed by ${p99Ms.toFixed(1)} ms (p99), ${maxMs.toFixed(1)} ms (longest)`;
  console.log(`${where}: prime ${ordinal} is ${prime}, ${delay}`);
}
