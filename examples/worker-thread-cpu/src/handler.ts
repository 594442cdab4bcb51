/** The handler. The definition is imported for its type alone; threads load this module, and the main program does not. */
import type { WorkerThreadWorkHandler } from "@riverqueue/worker-threads";
import { complete } from "riverqueue";
import type { findPrime } from "./jobs.ts";
import { nthPrime } from "./nth-prime.ts";

/** Finds a prime and leaves it as the job's output. */
export const findPrimeHandler: WorkerThreadWorkHandler<typeof findPrime> = ({ job, signal }) =>
  complete({ output: { prime: nthPrime(job.args.ordinal, signal) } });
