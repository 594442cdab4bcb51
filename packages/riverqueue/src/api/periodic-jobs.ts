/** Periodic jobs: what the leader inserts on a schedule, and the live registry `client.periodicJobs`. */
import type { InsertOptions } from "../definition/insert-options.ts";
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";

/** Decides when a periodic job runs. */
export interface PeriodicSchedule {
  /** The first occurrence after `after`, strictly later; null when there is none any more. */
  next(after: Temporal.Instant): Temporal.Instant | null;
}

/** What a constructor gives for one occurrence; `null` in its place skips the occurrence. */
export interface PeriodicJobInsert<Definition extends JobDefinition = JobDefinition> {
  readonly args: JobDefinitionInput<Definition>;
  readonly options?: InsertOptions | undefined;
}

/** A job that the leader inserts whenever its schedule says so. Made by `periodicJob`. */
export interface PeriodicJob<Definition extends JobDefinition = JobDefinition> {
  /** Unique within the client; null when not given. */
  readonly id: string | null;
  readonly job: Definition;
  /** Whether one job is inserted at the start of every term of leadership. */
  readonly runOnStart: boolean;
  readonly schedule: PeriodicSchedule;
  /** Builds arguments and options of the next occurrence. */
  construct(): PeriodicJobInsert<Definition> | null | PromiseLike<PeriodicJobInsert<Definition> | null>;
}

declare const handleBrand: unique symbol;

/** Names one registration; never reused. */
export interface PeriodicJobHandle {
  readonly [handleBrand]: true;
}

/**
 * Live registry of periodic jobs. Changes take effect at once while this client leads, otherwise when it next does.
 * Changing it throws `ConfigurationError` on a client with `leaderElectionDisabled`, for an `id` in use, and for
 * anything `periodicJob` did not make.
 */
export interface PeriodicJobs {
  add(job: PeriodicJob): PeriodicJobHandle;
  /** Adds all or none; handles in order. */
  addMany(jobs: readonly PeriodicJob[]): PeriodicJobHandle[];
  /** Whether the registration was there. */
  remove(handle: PeriodicJobHandle): boolean;
  /** Whether a registration with this ID was there. */
  removeById(id: string): boolean;
  clear(): void;
  readonly size: number;
}

/** A periodic job as an extension stores it. */
export interface DurablePeriodicJob {
  readonly id: string;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
  readonly nextRunAt: Temporal.Instant;
}

/** What `onPeriodicJobsStart` hooks get at the start of a term. */
export interface PeriodicJobsStartParams {
  /** Empty without an extension that stores them. */
  readonly durableJobs: readonly DurablePeriodicJob[];
  readonly periodicJobs: PeriodicJobs;
}
