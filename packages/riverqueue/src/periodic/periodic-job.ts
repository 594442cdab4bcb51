/** Makes periodic jobs: checks their options once, so that the leader meets none that cannot run. */
import type { PeriodicJob, PeriodicJobInsert, PeriodicSchedule } from "../api/periodic-jobs.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import type { InsertOptions } from "../definition/insert-options.ts";
import { isJobDefinition } from "../definition/is-job-definition.ts";
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";
import { isJobKind, JOB_KIND_EXPECTATION } from "../definition/job-kind.ts";
import { readInsertOptions } from "../definition/read-insert-options.ts";
import { type DurationInput, toDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { intervalSchedule } from "./interval-schedule.ts";

/** Arguments of each occurrence: always the same, or built anew. */
export type PeriodicJobArgs<Definition extends JobDefinition = JobDefinition> =
  | {
      /** Arguments of every occurrence. */
      readonly args: JobDefinitionInput<Definition>;
      readonly construct?: undefined;
    }
  | {
      readonly args?: undefined;
      /**
       * Builds arguments, and options in place of `options`, of one occurrence; null skips it. When it throws, builds
       * anything else, or takes longer than 30 s, the occurrence is skipped and logged as an error.
       */
      readonly construct: () =>
        | PeriodicJobInsert<Definition>
        | null
        | PromiseLike<PeriodicJobInsert<Definition> | null>;
    };

/** When a periodic job runs. */
export type PeriodicJobTiming =
  | {
      /** Time between occurrences, at least 1 ms; below 1 s is not advised. Counted from the start of each term of leadership. */
      readonly every: DurationInput;
      readonly schedule?: undefined;
    }
  | {
      readonly every?: undefined;
      /** A schedule, such as one of `cron`. */
      readonly schedule: PeriodicSchedule;
    };

/** Options of {@link periodicJob}. */
export type PeriodicJobOptions<Definition extends JobDefinition = JobDefinition> = PeriodicJobArgs<Definition> &
  PeriodicJobTiming & {
    /** Kind of job to insert. */
    readonly job: Definition;
    /** Unique within a client, in the grammar of kinds. Stored in the job's metadata. None unless given. */
    readonly id?: string | undefined;
    /** Insert options of every occurrence whose constructor gives none. Without `scheduledAt` and `delay` the job is due at its occurrence. */
    readonly options?: InsertOptions | undefined;
    /** Whether one job is inserted at the start of every term of leadership. False by default. */
    readonly runOnStart?: boolean | undefined;
  };

const KNOWN = ["job", "id", "args", "construct", "options", "every", "schedule", "runOnStart"] as const;

const made = new WeakSet<object>();

/**
 * Defines a job that the leader inserts on a schedule. Only the leader's own registrations run, so register the same ones
 * in every client that may lead.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function periodicJob<Definition extends JobDefinition>(
  options: PeriodicJobOptions<Definition>,
): PeriodicJob<Definition> {
  const faults = new InsertFaults();
  const problems = faults.options;
  const given = problems.object(options, "", KNOWN);
  if (!isJobDefinition(given.job)) problems.add("job", "must be made by defineJob");
  readInsertOptions(faults, given.options, "options");
  const job = Object.freeze({
    id: readId(problems, given.id),
    job: given.job as Definition,
    runOnStart: readRunOnStart(problems, given.runOnStart),
    schedule: readSchedule(problems, given),
    construct: readConstruct<Definition>(problems, given),
  });
  faults.throwConfiguration();
  made.add(job);
  return job;
}

/** Whether {@link periodicJob} made `value`. */
export function isPeriodicJob(value: unknown): value is PeriodicJob {
  return typeof value === "object" && value !== null && made.has(value);
}

function readId(problems: OptionProblems, id: unknown): string | null {
  if (id === undefined || isJobKind(id)) return id ?? null;
  problems.add("id", JOB_KIND_EXPECTATION);
  return null;
}

function readRunOnStart(problems: OptionProblems, runOnStart: unknown): boolean {
  if (runOnStart !== undefined && typeof runOnStart !== "boolean") problems.add("runOnStart", "must be true or false");
  return runOnStart === true;
}

function readSchedule(problems: OptionProblems, { every, schedule }: Record<string, unknown>): PeriodicSchedule {
  const duration = toDuration(every);
  if ((every === undefined) === (schedule === undefined)) {
    problems.add("schedule", "must be given exactly when every is not");
  } else if (schedule !== undefined && !isSchedule(schedule)) {
    problems.add("schedule", "must have a method next");
  } else if (every !== undefined && duration === null) {
    problems.add("every", "must be a duration of days or smaller units, such as { seconds: 5 }");
  } else if (duration !== null && duration.total({ unit: "milliseconds" }) < 1) {
    problems.add("every", "must be at least 1 ms");
  }
  return duration === null ? (schedule as PeriodicSchedule) : intervalSchedule(duration);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSchedule(value: unknown): value is PeriodicSchedule {
  return typeof value === "object" && value !== null && "next" in value && typeof value.next === "function";
}

function readConstruct<Definition extends JobDefinition>(
  problems: OptionProblems,
  { args, construct, options }: Record<string, unknown>,
): PeriodicJob<Definition>["construct"] {
  if ((args === undefined) === (construct === undefined)) {
    problems.add("args", "must be given exactly when construct is not");
  } else if (construct !== undefined && typeof construct !== "function") {
    problems.add("construct", "must be a function");
  } else if (args !== undefined && !isObject(args)) {
    problems.add("args", "must be an object");
  }
  const fixed = { args, options } as PeriodicJobInsert<Definition>;
  if (construct === undefined) return () => fixed;
  const build = construct as PeriodicJob<Definition>["construct"];
  return async () => {
    const built = await build();
    const lacksOptions = typeof built === "object" && built !== null && built.options === undefined;
    return lacksOptions && fixed.options !== undefined ? { ...built, options: fixed.options } : built;
  };
}
