/** Options of the managed executor. */
import { type DurationInput, isJobDefinition, type JobDefinition } from "riverqueue";
import { OptionFaults } from "../options/option-faults.ts";
import {
  readWorkerThreadsOptions,
  type ResolvedWorkerThreadsOptions,
  WORKER_THREADS_OPTIONS,
  type WorkerThreadsOptions,
} from "../worker-threads-options.ts";

/**
 * When a thread is replaced by a fresh one, between two attempts. Whichever limit is reached first counts; those that are
 * absent do not.
 *
 * @addition
 */
export interface ThreadRecycling {
  /** Attempts that a thread runs. */
  readonly afterJobs?: number | undefined;
  /** Time since its start. */
  readonly afterAge?: DurationInput | undefined;
  /** Megabytes of JavaScript heap that it may use after an attempt. */
  readonly aboveHeapMb?: number | undefined;
}

/**
 * When a handler whose module cannot be loaded is not tried any more.
 *
 * @addition
 */
export interface ThreadBreaker {
  /** Failures in a row, 5 unless given. */
  readonly failures?: number | undefined;
  /** How long attempts then fail at once, before one is tried again; 30 seconds unless given. */
  readonly cooldown?: DurationInput | undefined;
}

/**
 * Options of `ManagedWorkerThreads`.
 *
 * @addition
 */
export interface ManagedWorkerThreadsOptions extends WorkerThreadsOptions {
  /** Never, unless given. */
  readonly recycle?: ThreadRecycling | undefined;
  /** Off unless given; `{}` for its defaults. */
  readonly breaker?: ThreadBreaker | undefined;
  /** Whether attempts wait by the priority of their jobs instead of in the order in which they came; `false`. */
  readonly priority?: boolean | undefined;
  /** Definitions whose jobs handlers may insert. None unless given. */
  readonly inserts?: readonly JobDefinition[] | undefined;
}

/** Options that have been checked; times in milliseconds, memory in bytes. */
export interface ResolvedManagedOptions extends ResolvedWorkerThreadsOptions {
  readonly afterJobs: number;
  readonly afterAgeMs: number;
  readonly aboveHeapBytes: number;
  readonly breaker: { readonly failures: number; readonly cooldownMs: number } | null;
  readonly priority: boolean;
  readonly inserts: readonly JobDefinition[];
}

const BYTES_PER_MB = 1_048_576;

/** @throws ConfigurationError naming every option that is wrong. */
export function resolveManagedOptions(options: unknown): ResolvedManagedOptions {
  const faults = new OptionFaults();
  const known = [...WORKER_THREADS_OPTIONS, "recycle", "breaker", "priority", "inserts"];
  const values = faults.read(options, "options", known);
  const { recycle = {}, breaker, priority = false, inserts = [] } = values;
  const limits = faults.read(recycle, "options.recycle", ["afterJobs", "afterAge", "aboveHeapMb"]);
  if (typeof priority !== "boolean") faults.add("options.priority", "must be true or false");
  if (!Array.isArray(inserts) || !inserts.every(isJobDefinition)) {
    faults.add("options.inserts", "must be a list of definitions made by defineJob");
  }
  const resolved: ResolvedManagedOptions = {
    ...readWorkerThreadsOptions(faults, values),
    afterJobs: faults.positiveInteger(limits["afterJobs"], "options.recycle.afterJobs", Infinity),
    afterAgeMs: readDuration(faults, limits["afterAge"], "options.recycle.afterAge", Infinity),
    aboveHeapBytes:
      BYTES_PER_MB * faults.positiveInteger(limits["aboveHeapMb"], "options.recycle.aboveHeapMb", Infinity),
    breaker: breaker === undefined ? null : readBreaker(faults, breaker),
    priority: priority === true,
    inserts: Object.freeze([...(Array.isArray(inserts) ? inserts : [])]) as readonly JobDefinition[],
  };
  faults.throwIfAny();
  return Object.freeze(resolved);
}

function readBreaker(faults: OptionFaults, given: unknown): ResolvedManagedOptions["breaker"] {
  const { failures, cooldown } = faults.read(given, "options.breaker", ["failures", "cooldown"]);
  return {
    failures: faults.positiveInteger(failures, "options.breaker.failures", 5),
    cooldownMs: readDuration(faults, cooldown, "options.breaker.cooldown", 30_000),
  };
}

function readDuration(faults: OptionFaults, value: unknown, path: string, fallback: number): number {
  if (value === undefined) return fallback;
  try {
    const duration = Temporal.Duration.from(value as DurationInput);
    const ms = duration.total({ unit: "milliseconds" });
    if (ms > 0) return ms;
  } catch {
    // Told below.
  }
  faults.add(path, "must be a positive duration of days or smaller units, such as { seconds: 5 }");
  return fallback;
}
