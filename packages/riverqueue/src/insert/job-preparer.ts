/**
 * Turns the jobs of one call into rows: checks options and arguments, resolves options, encodes, computes unique keys. All
 * findings about all jobs are collected; nothing here touches the database.
 */
import { decodeArgs } from "../definition/decode-args.ts";
import { durationNanoseconds } from "../definition/duration-nanoseconds.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import type { NormalizedInsertOptions } from "../definition/insert-options.ts";
import { isJobDefinition } from "../definition/is-job-definition.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import { readInsertOptions } from "../definition/read-insert-options.ts";
import { isStorableEpoch, STORABLE_TIME_EXPECTATION } from "../definition/storable-time.ts";
import type { NormalizedUniqueOptions } from "../definition/unique-options.ts";
import { DEFAULT_UNIQUE_STATES, isUniqueWhenCompletedByDefault } from "../definition/unique-options.ts";
import type { JobToInsert } from "../driver/insert-jobs.ts";
import { copyJsonObject } from "../json/copy-json-value.ts";
import { encodeStoredJson } from "../json/encode-stored-json.ts";
import type { JsonObject } from "../json/json-value.ts";
import { bitmaskOfStates } from "../model/job-state.ts";
import { keysUnusableInFragment } from "./args-fragment.ts";
import type { PreparedJob } from "./prepared-job.ts";
import type { ResolvedInsertOptions } from "./resolve-insert-options.ts";
import { resolveInsertOptions } from "./resolve-insert-options.ts";
import { uniqueKey } from "./unique-key.ts";

/** Where the parts of a job stand in the call, for messages. */
export interface JobPaths {
  readonly job: string;
  readonly args: string;
  /** Empty when the options are an argument of their own. */
  readonly options: string;
}

/** An occurrence of a periodic job. */
export interface PeriodicOccurrence {
  readonly at: Temporal.Instant;
  readonly periodicJobId: string | null;
}

/** One job of a call, unchecked. */
export interface RawJob {
  readonly definition: unknown;
  readonly args: unknown;
  readonly options: unknown;
  readonly paths: JobPaths;
  /** Accepted keys of the options. */
  readonly optionNames?: readonly string[];
  readonly occurrence?: PeriodicOccurrence;
}

/** A job whose arguments are in order. */
interface CheckedJob {
  readonly definition: JobDefinition;
  readonly args: JsonObject;
  readonly encodedArgs: string;
  readonly occurrence: PeriodicOccurrence | undefined;
}

const DEFAULT_UNIQUE_MASK = bitmaskOfStates(DEFAULT_UNIQUE_STATES);

/** Prepares the jobs of one call. Use once: `add` each, then `finish`. */
export class JobPreparer {
  readonly faults: InsertFaults = new InsertFaults();
  readonly #clientDefaults: NormalizedInsertOptions;
  readonly #now: Temporal.Instant;
  readonly #jobs: PreparedJob[] = [];
  readonly #checks: Promise<void>[] = [];

  constructor(clientDefaults: NormalizedInsertOptions, now: Temporal.Instant) {
    this.#clientDefaults = clientDefaults;
    this.#now = now;
  }

  /** Checks one job; what is wrong with it comes out in `finish`. */
  add(raw: RawJob): void {
    const before = this.faults.count;
    const job = this.#prepare(raw);
    if (job !== null && this.faults.count === before) this.#jobs.push(job);
  }

  /**
   * The jobs in order of `add`; a promise only when a schema or decoder is asynchronous.
   *
   * @throws ValidationError, JsonValueError or PayloadValidationError naming everything that is wrong.
   */
  finish(): Promise<readonly PreparedJob[]> | readonly PreparedJob[] {
    if (this.#checks.length > 0) return Promise.all(this.#checks).then(() => this.#finished());
    return this.#finished();
  }

  #finished(): readonly PreparedJob[] {
    this.faults.throwValidation();
    return this.#jobs;
  }

  #prepare({ definition, args, options, paths, optionNames, occurrence }: RawJob): PreparedJob | null {
    const before = this.faults.count;
    const given = readInsertOptions(this.faults, options, paths.options, optionNames);
    if (!isJobDefinition(definition)) {
      this.faults.options.add(paths.job, "must be made by defineJob");
      return null;
    }
    const copy = this.#attempt(() => copyJsonObject(args, { subject: paths.args }));
    if (copy === null) return null;
    // Before user code may change the copy.
    const encodedArgs = this.#attempt(() => encodeStoredJson(copy, paths.args));
    this.#check(definition, copy, paths.args);
    if (encodedArgs === null || this.faults.count > before) return null;
    const resolved = resolveInsertOptions([given, definition.defaults, this.#clientDefaults]);
    return this.#encode({ definition, args: copy, encodedArgs, occurrence }, resolved, paths.options);
  }

  #check(definition: JobDefinition, args: JsonObject, path: string): void {
    const checked: unknown = this.#attempt(() => decodeArgs(definition, args, "insert", path));
    if (!(checked instanceof Promise)) return;
    this.#checks.push(
      checked.then(
        () => {},
        (error: unknown) => this.faults.addThrown(error),
      ),
    );
  }

  /** The result of a check, or null when it refuses the job. */
  #attempt<T>(check: () => T): T | null {
    return this.faults.collect(check) ?? null;
  }

  #encode(
    { definition, args, encodedArgs, occurrence }: CheckedJob,
    options: ResolvedInsertOptions,
    path: string,
  ): PreparedJob | null {
    const prefix = path ? `${path}.` : "";
    const time = this.#givenTime(options, `${prefix}delay`);
    const metadata = occurrence === undefined ? options.metadata : periodicMetadata(options.metadata, occurrence);
    const encodedMetadata = this.#attempt(() => encodeStoredJson(metadata, `${prefix}metadata`));
    if (encodedMetadata === null) return null;
    const { unique, queue, priority, maxAttempts, tags, durability } = options;
    if (unique !== null && !this.#mayBeUnique(definition, encodedArgs, unique, `${prefix}unique`)) return null;
    const scheduledAt = time ?? occurrence?.at ?? this.#now;
    const source = { kind: definition.kind, queue, encodedArgs, scheduledAt };
    const row: JobToInsert = {
      kind: definition.kind,
      queue,
      state: options.pending ? "pending" : time === null ? "available" : "scheduled",
      priority,
      maxAttempts,
      args: encodedArgs,
      metadata: encodedMetadata,
      tags,
      scheduledAt: time ?? occurrence?.at ?? null,
      uniqueKey: unique === null ? null : uniqueKey(source, unique),
      uniqueStates: unique === null ? null : uniqueMask(unique),
    };
    return { definition, row, args, metadata, scheduledAt, durability };
  }

  /** The time that the options name, directly or as a delay. */
  #givenTime({ scheduledAt, delay }: ResolvedInsertOptions, path: string): Temporal.Instant | null {
    if (delay === null) return scheduledAt;
    const epochNanoseconds = this.#now.epochNanoseconds + durationNanoseconds(delay);
    if (isStorableEpoch(epochNanoseconds)) return Temporal.Instant.fromEpochNanoseconds(epochNanoseconds);
    this.faults.options.add(path, `leads to a time that ${STORABLE_TIME_EXPECTATION}`);
    return null;
  }

  #mayBeUnique(
    { kind, deleteOnComplete }: JobDefinition,
    encodedArgs: string,
    unique: NormalizedUniqueOptions,
    path: string,
  ): boolean {
    const before = this.faults.count;
    if (deleteOnComplete && isUniqueWhenCompletedByDefault(unique)) {
      const reason = `must be written out, because jobs of kind "${kind}" are deleted when completed`;
      this.faults.options.add(`${path}.byState`, reason);
    }
    for (const key of unique.byArgs === true ? keysUnusableInFragment(encodedArgs) : []) {
      const problem = `args key "${key}" cannot be used when all args are compared; list the paths to compare in byArgs`;
      this.faults.options.add(`${path}.byArgs:`, problem);
    }
    return this.faults.count === before;
  }
}

function uniqueMask({ byState }: NormalizedUniqueOptions): number {
  return byState === null ? DEFAULT_UNIQUE_MASK : bitmaskOfStates(byState);
}

/** Marks by which clients in every language know a periodic job. */
function periodicMetadata(metadata: JsonObject, { periodicJobId }: PeriodicOccurrence): JsonObject {
  const marks: JsonObject =
    periodicJobId === null ? { periodic: true } : { periodic: true, "river:periodic_job_id": periodicJobId };
  return Object.freeze(Object.assign(Object.create(null) as JsonObject, metadata, marks));
}
