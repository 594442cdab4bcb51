/** Options of the executor. */
import type { ResourceLimits } from "node:worker_threads";
import { OptionFaults } from "./options/option-faults.ts";

/** Options of `WorkerThreads`. */
export interface WorkerThreadsOptions {
  /**
   * Most threads at a time, those that are being ended included: a positive integer, at first the number of processors
   * that jobs may have. Threads are started when attempts need them and kept. Attempts beyond them wait their turn,
   * and waiting costs none of a job's timeout.
   */
  readonly maxThreads: number;
  /**
   * Limits of Node's engine for every thread, in megabytes. A handler that exceeds them fails its attempt, and the
   * thread is replaced. Node's defaults unless given.
   */
  readonly resourceLimits?: ResourceLimits | undefined;
}

/** Options that have been checked. */
export interface ResolvedWorkerThreadsOptions {
  readonly maxThreads: number;
  readonly resourceLimits: ResourceLimits | null;
}

/** Names of the options above. */
export const WORKER_THREADS_OPTIONS: readonly string[] = ["maxThreads", "resourceLimits"];

const LIMITS = ["codeRangeSizeMb", "maxOldGenerationSizeMb", "maxYoungGenerationSizeMb", "stackSizeMb"] as const;

/** @throws ConfigurationError naming every option that is wrong. */
export function resolveWorkerThreadsOptions(options: unknown): ResolvedWorkerThreadsOptions {
  const faults = new OptionFaults();
  const resolved = readWorkerThreadsOptions(faults, faults.read(options, "options", WORKER_THREADS_OPTIONS));
  faults.throwIfAny();
  return resolved;
}

/** Reads the options above among others. */
export function readWorkerThreadsOptions(
  faults: OptionFaults,
  values: Readonly<Record<string, unknown>>,
): ResolvedWorkerThreadsOptions {
  const { maxThreads, resourceLimits } = values;
  if (maxThreads === undefined) faults.add("options.maxThreads", "must be a positive integer");
  return Object.freeze({
    maxThreads: faults.positiveInteger(maxThreads, "options.maxThreads", 1),
    resourceLimits: resourceLimits === undefined ? null : readLimits(faults, resourceLimits),
  });
}

function readLimits(faults: OptionFaults, given: unknown): ResourceLimits {
  const values = faults.read(given, "options.resourceLimits", LIMITS);
  const limits: ResourceLimits = {};
  for (const name of LIMITS) {
    const value = values[name];
    if (value === undefined) continue;
    if (typeof value === "number" && Number.isFinite(value) && value > 0) limits[name] = value;
    else faults.add(`options.resourceLimits.${name}`, "must be a positive number of megabytes");
  }
  return Object.freeze(limits);
}
