/**
 * Persists the ends of attempts in batches and reports each to the event hub once it is committed. Owns the buffer,
 * back-pressure, the tries of a batch, and the only settle call of the runtime. It never decides a job's state.
 */
import type { DriverFacets } from "../driver/driver.ts";
import type { SettledJob } from "../driver/settle-jobs.ts";
import { pause } from "../kit/clock.ts";
import type { Timer } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { CompletionBuffer } from "./completion-buffer.ts";
import { settleBatch } from "./settle-batch.ts";
import type { BatchOutcome } from "./settle-batch.ts";
import type { EventHub } from "./event-hub.ts";
import type { CompletionSettings } from "./runtime-settings.ts";
import { publishSettlement } from "./settlement-event.ts";

/** Ends accepted and not persisted at which further attempts wait; they go on below half of it. */
export const COMPLETION_CAPACITY = 10_000;
/** Completion statements running at the same time; the second only for a full batch. */
export const COMPLETION_STATEMENTS = 2;
/** First wait before a row that another session holds is tried again, in milliseconds; doubled up to the last. */
export const LOCKED_RETRY_MS: Readonly<{ first: number; last: number }> = Object.freeze({ first: 100, last: 1_000 });
/** How long a client that stops tries a row that another session holds, in milliseconds: as long as three tries take. */
export const LOCKED_LIMIT_AT_STOP_MS = 30_000;

/** What the pipeline works with. */
export interface CompletionPipelineDependencies<Tx> {
  readonly facets: DriverFacets<Tx>;
  readonly settings: CompletionSettings;
  readonly hub: EventHub;
  readonly environment: Environment;
  readonly logger: Logger;
  /** A job was stored `available` for a later moment. */
  readonly onDueLater: (queue: string, at: Temporal.Instant) => void;
  /** Told about failures that no retry can mend. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class CompletionPipeline<Tx> {
  readonly #dependencies: CompletionPipelineDependencies<Tx>;
  readonly #buffer: CompletionBuffer;
  #statements = 0;
  #pending = 0;
  #flushSoon: NodeJS.Immediate | null = null;
  #flushLater: Timer | null = null;
  #waiting: (() => void)[] = [];
  #stopping = false;
  readonly #draining = new AbortController();
  /** Monotonic time at which draining began; null before. */
  #drainingSince: number | null = null;
  #abandoned = false;
  /** Monotonic time by which a stop with a timeout should be done; null without limit. */
  #deadline: number | null = null;
  #drained: (() => void) | null = null;

  constructor(dependencies: CompletionPipelineDependencies<Tx>) {
    this.#dependencies = dependencies;
    this.#buffer = new CompletionBuffer(dependencies.settings.batchSize);
  }

  /** Ends accepted and not persisted yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Ends that would still be accepted at once. */
  get capacity(): number {
    return Math.max(0, COMPLETION_CAPACITY - this.#pending);
  }

  /** Completion statements running now. */
  get statements(): number {
    return this.#statements;
  }

  /** Takes the end of an attempt; null when accepted at once, else a promise that resolves when there is capacity. */
  accept(end: AttemptEnd): Promise<void> | null {
    if (this.#pending >= COMPLETION_CAPACITY) {
      // Others may have been quicker when there is capacity again.
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.accept(end) ?? undefined);
    }
    this.#pending++;
    this.#buffer.push(end);
    this.#schedule();
    return null;
  }

  /** A stop began: attempts that wait for capacity must not wait for a database that stays away. */
  stopping(): void {
    this.#stopping = true;
  }

  /** From now on tries last no longer than what is left of this many milliseconds, but at least a second each. */
  limitTries(ms: number): void {
    const deadline = this.#dependencies.environment.clock.monotonic() + ms;
    this.#deadline = Math.min(this.#deadline ?? Infinity, deadline);
  }

  /** Persists everything accepted, or abandons it to the rescuer at the first persistent failure; never rejects. */
  async drain(): Promise<void> {
    this.#drainingSince = this.#dependencies.environment.clock.monotonic();
    this.#draining.abort();
    this.#schedule();
    if (this.#pending > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#flushLater?.cancel();
  }

  /** Decides when the next batch goes out: at once while no statement runs, else when full or after the interval. */
  #schedule(): void {
    if (this.#buffer.size === 0 || this.#flushSoon) return;
    const free =
      this.#statements === 0 || this.#draining.signal.aborted || this.#dependencies.settings.flushIntervalMs === 0;
    if (this.#statements < COMPLETION_STATEMENTS && (free || this.#buffer.hasFullBatch)) {
      // The end of this turn of the loop, so that attempts that end together share a statement.
      this.#flushSoon = setImmediate(() => {
        this.#flushSoon = null;
        this.#flush();
      });
    } else this.#flushLater ??= this.#armFlushTimer();
  }

  #armFlushTimer(): Timer {
    return this.#dependencies.environment.clock.setTimer(() => {
      this.#flushLater = null;
      if (this.#statements < COMPLETION_STATEMENTS) this.#flush();
    }, this.#dependencies.settings.flushIntervalMs);
  }

  #flush(): void {
    const batch = this.#buffer.takeBatch();
    if (batch.length === 0) return;
    this.#statements++;
    void this.#settle(batch).finally(() => {
      this.#statements--;
      this.#schedule();
    });
    if (this.#buffer.hasFullBatch) this.#schedule();
  }

  async #settle(batch: readonly AttemptEnd[]): Promise<void> {
    if (this.#abandoned) return this.#drop(batch, null);
    const outcome = await settleBatch(batch, {
      ...this.#dependencies,
      wantRows: this.#dependencies.hub.wanted("job_completed"),
      draining: this.#draining.signal,
      deadline: () => this.#deadline,
      onSettled: (end, settled) => this.#settled(end, settled),
      onDegraded: (count) => this.#dependencies.hub.metric({ name: "job_completion_degraded", count }),
    });
    this.#conclude(outcome);
  }

  #settled(end: AttemptEnd, settled: SettledJob): void {
    if (settled.outcome === "locked") return this.#retryLocked(end);
    const { scheduledAt } = end.settlement;
    if (settled.state === "available" && scheduledAt) this.#dependencies.onDueLater(end.record.queue, scheduledAt);
    publishSettlement(this.#dependencies, end, settled);
    this.#release(1);
  }

  /** Deals with what could not be written. */
  #conclude({ dropped, failed, error }: BatchOutcome): void {
    if (dropped.length > 0) this.#drop(dropped, error);
    if (isPermanentFailure(error)) this.#dependencies.onFailure(error);
    if (failed.length === 0) return;
    const { hub, logger } = this.#dependencies;
    if (this.#draining.signal.aborted) {
      this.#abandoned = true;
      return this.#drop([...failed, ...this.#buffer.takeAll()], error);
    }
    if (this.#stopping && this.#waiting.length > 0) return this.#drop(failed, error);
    logBackgroundFailure(logger, error, { count: failed.length }, "storing completions failed; they are queued again");
    hub.metric({ name: "job_completion_requeued", count: failed.length });
    this.#buffer.unshift(failed);
  }

  #drop(ends: readonly AttemptEnd[], error: unknown): void {
    const { hub, logger } = this.#dependencies;
    const jobIds = ends.slice(0, 10).map((end) => String(end.record.id));
    const attributes = { count: ends.length, jobIds, ...(error === null ? {} : { error }) };
    logger.error(attributes, "storing completions failed for good; the jobs stay running until they are rescued");
    hub.metric({ name: "job_completion_dropped", count: ends.length });
    this.#release(ends.length);
  }

  #retryLocked(end: AttemptEnd): void {
    const { clock } = this.#dependencies.environment;
    const drainingMs = clock.monotonic() - (this.#drainingSince ?? clock.monotonic());
    if (this.#abandoned || drainingMs >= LOCKED_LIMIT_AT_STOP_MS) return this.#drop([end], null);
    const tries = this.#buffer.countLocked(end);
    const wait = Math.min(LOCKED_RETRY_MS.last, LOCKED_RETRY_MS.first * 2 ** Math.min(tries - 1, 10));
    void pause(clock, wait).then(() => {
      if (this.#abandoned) return this.#drop([end], null);
      this.#buffer.push(end);
      this.#schedule();
    });
  }

  #release(count: number): void {
    this.#pending -= count;
    if (this.#waiting.length > 0 && this.#pending < COMPLETION_CAPACITY / 2) {
      for (const resume of this.#waiting.splice(0, COMPLETION_CAPACITY - this.#pending)) resume();
    }
    if (this.#pending === 0) this.#drained?.();
  }
}
