import type { WorkerThreadWorkHandler } from "@riverqueue/worker-threads";
import { complete } from "riverqueue";
import type { findPrime } from "./jobs.ts";

export const findPrimeHandler: WorkerThreadWorkHandler<typeof findPrime> = ({ job, signal }) =>
  complete({ output: { prime: nthPrime(job.args.ordinal, signal) } });

/** A stand-in for something that takes longer. */
function nthPrime(ordinal: number, signal: AbortSignal): number {
  let candidate = 1;
  for (let found = 0; found < ordinal; ) {
    signal.throwIfAborted();
    candidate++;
    let divisor = 2;
    while (candidate % divisor !== 0) divisor++;
    if (divisor === candidate) found++;
  }
  return candidate;
}
