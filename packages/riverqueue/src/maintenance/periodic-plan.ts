/**
 * When each periodic job runs next, within one term of leadership. Kept in memory only: a new term starts from now. Each
 * registration stands for itself; what one schedule does wrong never touches another.
 */
import { ignoreRejection } from "../kit/ignore-rejection.ts";
import type { Logger } from "../kit/logger.ts";
import type { PeriodicJob } from "../api/periodic-jobs.ts";
import type { PeriodicRegistration } from "../periodic/periodic-job-registry.ts";

/** Jobs due within it are inserted together, in milliseconds: up to this much before their time. */
const MARGIN_MS = 100;

/** One job to insert. */
export interface DueOccurrence {
  readonly job: PeriodicJob;
  /** Time of the occurrence: the scheduled time, or now for a run at start. */
  readonly at: Temporal.Instant;
}

/** See the file header. */
export class PeriodicPlan {
  readonly #logger: Logger;
  /** Null: never again in this term. */
  #nextRuns = new Map<PeriodicRegistration, Temporal.Instant | null>();
  #begun = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Occurrences due at `now`, at most one of each scheduled run, in the order registered. What is returned counts as done:
   * the following run is computed from the planned time, so that neither early nor late passes shift a schedule. New
   * registrations begin now, those removed are forgotten.
   *
   * At the begin of a term runs within the margin are left out: the leader before may have inserted them ahead of time.
   */
  takeDue(registrations: readonly PeriodicRegistration[], now: Temporal.Instant): DueOccurrence[] {
    const due: DueOccurrence[] = [];
    const horizon = now.add({ milliseconds: MARGIN_MS });
    const nextRuns = new Map<PeriodicRegistration, Temporal.Instant | null>();
    for (const registration of registrations) {
      const { job } = registration;
      let next = this.#nextRuns.get(registration);
      if (next === undefined) {
        if (job.runOnStart) due.push({ job, at: now });
        next = this.#runAfter(job, now);
        while (!this.#begun && next !== null && Temporal.Instant.compare(next, horizon) < 0) {
          next = this.#runAfter(job, next);
        }
      } else if (next !== null && Temporal.Instant.compare(next, horizon) < 0) {
        due.push({ job, at: next });
        next = this.#runAfter(job, next);
      }
      nextRuns.set(registration, next);
    }
    this.#nextRuns = nextRuns;
    this.#begun = true;
    return due;
  }

  /** The earliest next run; null when nothing is planned. */
  get earliest(): Temporal.Instant | null {
    let earliest: Temporal.Instant | null = null;
    for (const next of this.#nextRuns.values()) {
      if (next !== null && (earliest === null || Temporal.Instant.compare(next, earliest) < 0)) earliest = next;
    }
    return earliest;
  }

  #runAfter(job: PeriodicJob, previous: Temporal.Instant): Temporal.Instant | null {
    try {
      const next: unknown = job.schedule.next(previous);
      if (next === null) return null;
      if (next instanceof Temporal.Instant && Temporal.Instant.compare(next, previous) > 0) return next;
      ignoreRejection(next);
      throw new TypeError("a schedule must return a later Temporal.Instant, or null");
    } catch (error) {
      const attributes = { periodicJobId: job.id, jobKind: job.job.kind, error };
      this.#logger.error(attributes, "a periodic job stops for this term of leadership: its schedule failed");
      return null;
    }
  }
}
