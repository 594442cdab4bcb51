/**
 * The live registry of a client's periodic jobs. Owns who is registered; the leader reads it and is told of changes. Knows
 * nothing of when a job runs next: that belongs to a term of leadership.
 */
import type { PeriodicJob, PeriodicJobHandle, PeriodicJobs } from "../api/periodic-jobs.ts";
import type { Logger } from "../kit/logger.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { cronWarnings } from "./cron.ts";
import { isPeriodicJob } from "./periodic-job.ts";

/** Why a client that never leads takes no periodic jobs. */
export const PERIODIC_JOBS_REFUSAL = "periodicJobs must be empty when leaderElectionDisabled is true";

/** One registration. Its handle is an object of its own and so can never stand for a later one. */
export interface PeriodicRegistration {
  readonly handle: PeriodicJobHandle;
  readonly job: PeriodicJob;
}

/** What the registry works with. */
export interface PeriodicJobRegistryDependencies {
  /** Refuses every change: the client never leads. */
  readonly leaderElectionDisabled: boolean;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
}

/** See the file header. */
export class PeriodicJobRegistry implements PeriodicJobs {
  readonly #dependencies: PeriodicJobRegistryDependencies;
  /** In the order registered. */
  readonly #registrations = new Map<PeriodicJobHandle, PeriodicRegistration>();
  #watchers: readonly (() => void)[] = [];

  /** @throws ConfigurationError as {@link addMany} for `jobs`, the client option `periodicJobs`. */
  constructor(jobs: readonly PeriodicJob[], dependencies: PeriodicJobRegistryDependencies) {
    this.#dependencies = dependencies;
    this.addMany(jobs);
  }

  get size(): number {
    return this.#registrations.size;
  }

  /** In the order registered. */
  get registrations(): readonly PeriodicRegistration[] {
    return [...this.#registrations.values()];
  }

  add(job: PeriodicJob): PeriodicJobHandle {
    this.#requireChangeable();
    this.#check([job], () => "periodic job");
    return this.#register(job);
  }

  addMany(jobs: readonly PeriodicJob[]): PeriodicJobHandle[] {
    if (!Array.isArray(jobs)) throw new ConfigurationError("periodicJobs must be a list");
    if (jobs.length > 0) this.#requireChangeable();
    this.#check(jobs, (index) => `periodicJobs[${index}]`);
    return jobs.map((job) => this.#register(job));
  }

  remove(handle: PeriodicJobHandle): boolean {
    this.#requireChangeable();
    const removed = this.#registrations.delete(handle);
    if (removed) this.#changed();
    return removed;
  }

  removeById(id: string): boolean {
    this.#requireChangeable();
    const found = this.registrations.find(({ job }) => job.id !== null && job.id === id);
    return found !== undefined && this.remove(found.handle);
  }

  clear(): void {
    this.#requireChangeable();
    this.#registrations.clear();
    this.#changed();
  }

  /** Calls `watcher` after every change until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers = [...this.#watchers, watcher];
    return () => {
      this.#watchers = this.#watchers.filter((other) => other !== watcher);
    };
  }

  #requireChangeable(): void {
    if (this.#dependencies.leaderElectionDisabled) throw new ConfigurationError(PERIODIC_JOBS_REFUSAL);
  }

  #check(jobs: readonly unknown[], path: (index: number) => string): void {
    const problems = new OptionProblems();
    const ids = new Set(this.registrations.map(({ job }) => job.id));
    // Not `forEach`, which passes over holes.
    for (const [index, job] of Array.from(jobs).entries()) {
      if (!isPeriodicJob(job)) {
        problems.add(path(index), "must be made by periodicJob");
      } else if (job.id !== null) {
        if (ids.has(job.id)) problems.add(`${path(index)}.id`, `must be unique, but "${job.id}" is in use`);
        ids.add(job.id);
      }
    }
    problems.throwConfiguration();
  }

  #register(job: PeriodicJob): PeriodicJobHandle {
    const handle = Object.freeze({}) as PeriodicJobHandle;
    this.#registrations.set(handle, { handle, job });
    for (const warning of cronWarnings(job.schedule, this.#dependencies.now())) {
      const attributes = { periodicJobId: job.id, jobKind: job.job.kind, schedule: scheduleText(job) };
      this.#dependencies.logger.warn(attributes, `the schedule of a periodic job ${warning}`);
    }
    this.#changed();
    return handle;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function scheduleText({ schedule }: PeriodicJob): unknown {
  return "expression" in schedule ? schedule.expression : undefined;
}
