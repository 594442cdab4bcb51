/**
 * Inserts periodic jobs when they are due. Owns the plan of the current term and nothing else: jobs go through the same
 * insertion as any other, in one transaction a pass, which comes to nothing when the term is over.
 */
import type { PeriodicJobsStartParams } from "../api/periodic-jobs.ts";
import type { InsertResult } from "../insert/insert-result.ts";
import type { InsertTransaction, JobInserter } from "../insert/job-inserter.ts";
import type { PreparedJob } from "../insert/prepared-job.ts";
import { backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import { isPermanentFailure } from "../kit/transient.ts";
import { isRetryableError } from "../model/errors/is-retryable-error.ts";
import { OptionProblems } from "../options/option-problems.ts";
import type { PeriodicJobRegistry } from "../periodic/periodic-job-registry.ts";
import { Alarm } from "./alarm.ts";
import { answerOf } from "./answer-of.ts";
import {
  driverCall,
  type MaintenanceService,
  type PassRunner,
  type ServiceContext,
  STATEMENT_LIMIT_MS,
} from "./maintenance-service.ts";
import { type DueOccurrence, PeriodicPlan } from "./periodic-plan.ts";
import type { Tenure } from "./tenure.ts";

/** Pauses after failing start hooks, in milliseconds. */
const HOOK_BACKOFF = { baseMs: 1000, maxMs: 30_000 };
/** Longest sleep in milliseconds: schedules are ones of wall time, and the wall clock may jump meanwhile. */
const LONGEST_SLEEP_MS = 60_000;

/** The parts of a client that insert its periodic jobs. */
export interface PeriodicParts<Tx> {
  readonly registry: PeriodicJobRegistry;
  readonly inserter: Pick<JobInserter<Tx>, "insertPrepared" | "preparePeriodic">;
  /** Run in order at the start of each term. */
  readonly onStart: readonly ((params: PeriodicJobsStartParams) => PromiseLike<void> | void)[];
}

/** See the file header. */
export class PeriodicEnqueuer<Tx> implements MaintenanceService {
  readonly name = "periodic";
  readonly #context: ServiceContext<Tx>;
  readonly #parts: PeriodicParts<Tx>;

  constructor(context: ServiceContext<Tx>, parts: PeriodicParts<Tx>) {
    this.#context = context;
    this.#parts = parts;
  }

  async serve(tenure: Tenure, run: PassRunner): Promise<void> {
    const { clock } = this.#context.environment;
    const alarm = new Alarm(clock);
    const ring = (): void => alarm.ring();
    tenure.signal.addEventListener("abort", ring, { once: true });
    const unwatch = this.#parts.registry.watch(ring);
    try {
      await this.#announceStart(tenure);
      await this.#enqueueWhileLeading(tenure, run, alarm);
    } finally {
      unwatch();
      tenure.signal.removeEventListener("abort", ring);
    }
  }

  /** Runs the start hooks until all of them have succeeded; nothing is inserted before. */
  async #announceStart(tenure: Tenure): Promise<void> {
    const { environment, logger } = this.#context;
    const { registry, onStart } = this.#parts;
    for (let failures = 1; tenure.holds(); failures++) {
      try {
        for (const hook of onStart) {
          const params = Object.freeze({ durableJobs: Object.freeze([]), periodicJobs: registry });
          await answerOf(environment.clock, tenure.signal, () => hook(params));
        }
        return;
      } catch (error) {
        if (!tenure.holds()) return;
        logger.error({ error }, "a hook for the start of periodic jobs failed; trying again");
        await pause(environment.clock, backoffMs(HOOK_BACKOFF, failures, environment.random), tenure.signal);
      }
    }
  }

  async #enqueueWhileLeading(tenure: Tenure, run: PassRunner, alarm: Alarm): Promise<void> {
    const { clock } = this.#context.environment;
    const plan = new PeriodicPlan(this.#context.logger);
    for (let passes = 0; tenure.holds(); passes++) {
      const due = plan.takeDue(this.#parts.registry.registrations, clock.now());
      // The first pass is reported even when it has nothing to insert: it says that the service runs.
      if (due.length > 0 || passes === 0) await run(() => this.#insert(due, tenure));
      const sleepMs = msUntil(plan.earliest, clock.now());
      if (sleepMs > 0) await alarm.sleep(Math.min(sleepMs, LONGEST_SLEEP_MS));
    }
  }

  async #insert(due: readonly DueOccurrence[], tenure: Tenure): Promise<number | null> {
    if (due.length === 0) return 0;
    const prepared = await Promise.all(due.map((occurrence) => this.#prepare(occurrence, tenure)));
    const jobs = prepared.filter((job) => job !== null);
    if (jobs.length === 0) return 0;
    return this.#insertPrepared(jobs, tenure);
  }

  /** Null when the occurrence is skipped: by its constructor, or because that failed or made something unusable. */
  async #prepare({ job, at }: DueOccurrence, tenure: Tenure): Promise<PreparedJob | null> {
    try {
      // The schema and the decoder of the definition are the application's as well.
      return await answerOf(this.#context.environment.clock, tenure.signal, async () => {
        const built: unknown = await job.construct();
        if (built === null) return null;
        const { args, options } = readBuilt(built);
        return this.#parts.inserter.preparePeriodic(job.job, args, options, { at, periodicJobId: job.id });
      });
    } catch (error) {
      const attributes = { periodicJobId: job.id, jobKind: job.job.kind, occurrence: at.toString(), error };
      if (tenure.holds()) this.#context.logger.error(attributes, "an occurrence of a periodic job is skipped");
      return null;
    }
  }

  /**
   * Inserts the jobs of a pass, in one transaction with the question whether the term still holds; null when it is over.
   * When middleware, a hook or a row makes the whole transaction fail, each job is tried by itself, so that one cannot
   * cost the others their occurrence.
   */
  async #insertPrepared(jobs: readonly PreparedJob[], tenure: Tenure): Promise<number | null> {
    const { facets, environment } = this.#context;
    const { term, signal } = tenure;
    const transact: InsertTransaction = (body, durability) =>
      facets.leader.transact({ term, body, durability, signal }, driverCall<Tx>(environment, STATEMENT_LIMIT_MS));
    try {
      const results = await this.#parts.inserter.insertPrepared(jobs, transact);
      return results === null ? null : countInserted(results);
    } catch (error) {
      if (isRetryableError(error) || isPermanentFailure(error) || jobs.length === 1) throw error;
      let inserted = 0;
      const failures: unknown[] = [];
      for (const job of jobs) {
        try {
          const one = await this.#insertPrepared([job], tenure);
          if (one === null) return null;
          inserted += one;
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 0) throw failures[0];
      return inserted;
    }
  }
}

/** @throws ValidationError for anything but `{ args, options? }`: a misspelt key would be ignored for ever. */
function readBuilt(built: unknown): { readonly args: unknown; readonly options: unknown } {
  const problems = new OptionProblems();
  const { args, options } = problems.object(built, "construct()", ["args", "options"]);
  if (problems.isEmpty && args === undefined) problems.add("construct().args", "must be given");
  problems.throwValidation();
  return { args, options };
}

function countInserted(results: readonly InsertResult[]): number {
  return results.filter(({ status }) => status === "inserted").length;
}

function msUntil(instant: Temporal.Instant | null, now: Temporal.Instant): number {
  return instant === null ? LONGEST_SLEEP_MS : instant.epochMilliseconds - now.epochMilliseconds;
}
