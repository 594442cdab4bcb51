/** Rebuilds indexes when its schedule says so. Unlike other services it does nothing at the start of a term. */
import { pause } from "../kit/clock.ts";
import { ignoreRejection } from "../kit/ignore-rejection.ts";
import type { MaintenanceService, PassRunner, ServiceContext } from "./maintenance-service.ts";
import { rebuildIndexes } from "./rebuild-indexes.ts";
import type { Tenure } from "./tenure.ts";

/** Longest sleep in milliseconds: the schedule is one of wall time, and the wall clock may jump meanwhile. */
const LONGEST_SLEEP_MS = 60_000;

/** See the file header. */
export class Reindexer<Tx> implements MaintenanceService {
  readonly name = "reindexer";
  readonly #context: ServiceContext<Tx>;
  /** Next run of each term; null for never. */
  readonly #nextRuns = new WeakMap<Tenure, Temporal.Instant | null>();

  constructor(context: ServiceContext<Tx>) {
    this.#context = context;
  }

  /** Asks the schedule, which may be the application's, for the first run. */
  prepare(tenure: Tenure): void {
    const { settings, environment } = this.#context;
    const hasWork = settings.reindexerIndexNames?.length !== 0;
    this.#nextRuns.set(tenure, hasWork ? this.#runAfter(environment.clock.now()) : null);
  }

  async serve(tenure: Tenure, run: PassRunner): Promise<void> {
    let due = this.#nextRuns.get(tenure) ?? null;
    while (due !== null && (await this.#sleepUntil(due, tenure))) {
      const current = due;
      await run(() => this.#run(tenure, current));
      due = this.#nextRuns.get(tenure) ?? null;
    }
  }

  /** The next run follows from when this one was due, not from when it ends. A schedule that throws ends with the term. */
  async #run(tenure: Tenure, due: Temporal.Instant): Promise<number | null> {
    this.#nextRuns.set(tenure, null);
    try {
      return await rebuildIndexes(this.#context, tenure);
    } finally {
      this.#nextRuns.set(tenure, this.#runAfter(due));
    }
  }

  /** @throws TypeError when the schedule gives no later time; whatever it throws itself. */
  #runAfter(previous: Temporal.Instant): Temporal.Instant | null {
    const next: unknown = this.#context.settings.reindexerSchedule(previous);
    if (next === null) return null;
    if (next instanceof Temporal.Instant && Temporal.Instant.compare(next, previous) > 0) return next;
    ignoreRejection(next);
    throw new TypeError("maintenance.reindexerSchedule must return a later Temporal.Instant, or null");
  }

  async #sleepUntil(due: Temporal.Instant, tenure: Tenure): Promise<boolean> {
    const { clock } = this.#context.environment;
    while (tenure.holds()) {
      const leftMs = due.epochMilliseconds - clock.now().epochMilliseconds;
      if (leftMs <= 0) return true;
      await pause(clock, Math.min(leftMs, LONGEST_SLEEP_MS), tenure.signal);
    }
    return false;
  }
}
