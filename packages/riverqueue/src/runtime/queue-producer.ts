/**
 * Claims jobs of one queue and keeps its running attempts. Owns the free slots, the set of active attempts, the pause
 * flag and the only claim call of its queue. It never runs user code itself, never asks for more jobs than it has free
 * slots, and hands every ended attempt to the completion pipeline, which frees the slot by accepting it.
 */
import type { ClaimHint } from "../driver/claim-jobs.ts";
import type { DriverFacets } from "../driver/driver.ts";
import { BACKGROUND_BACKOFF, backoffMs } from "../kit/backoff.ts";
import { pause, type Timer } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import { Latch } from "../kit/latch.ts";
import type { Logger } from "../kit/logger.ts";
import { RefusedRows } from "../kit/refused-rows.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import type { JobRecord } from "../model/job-record.ts";
import { loggableJob } from "../model/loggable-job.ts";
import type { AttemptRunner, RunningAttempt } from "./attempt-runner.ts";
import type { CompletionPipeline } from "./completion-pipeline.ts";
import { DueAlarm } from "./due-alarm.ts";
import type { EventHub } from "./event-hub.ts";
import { jitteredPollInterval } from "./poll-interval.ts";
import type { QueueSettings } from "./runtime-settings.ts";

/** Longest time a claim may take, in milliseconds. */
export const CLAIM_TIMEOUT_MS = 10_000;
/** How long a job that could not be claimed is left alone, in milliseconds, and how many such jobs are remembered. */
const [REFUSED_MS, REFUSED_JOBS] = [60_000, 1_000];

/** What a producer works with. */
export interface QueueProducerDependencies<Tx> {
  readonly queue: string;
  readonly settings: QueueSettings;
  /** Within this time of a notice its sender sends no other for the same queue, in milliseconds. */
  readonly noticeIntervalMs: number;
  readonly clientId: string;
  /** Kinds to claim; null for all. */
  readonly kinds: readonly string[] | null;
  readonly facets: DriverFacets<Tx>;
  readonly runner: AttemptRunner<Tx>;
  readonly pipeline: CompletionPipeline<Tx>;
  readonly hub: EventHub;
  readonly environment: Environment;
  readonly logger: Logger;
  /** Asks the database whether a job was cancelled, see `ControlPoller`. */
  readonly confirmCancel: (producer: QueueProducer<Tx>, jobId: bigint) => void;
  /** Told about failures that no retry can mend. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class QueueProducer<Tx> {
  readonly #dependencies: QueueProducerDependencies<Tx>;
  readonly #active = new Set<RunningAttempt>();
  readonly #released = new WeakSet<RunningAttempt>();
  readonly #trigger = new Latch();
  readonly #stopping = new AbortController();
  readonly #alarm: DueAlarm;
  readonly #refusals: RefusedRows<bigint>;
  #settings: QueueSettings;
  #paused = false;
  /** Whether a job was announced since the last claim. */
  #announced = false;
  /** Rings for the claim that follows one which was announced. */
  #trailing: Timer | null = null;
  #wantsMore = false;
  #interrupting = false;
  #releasedSlots = 0;
  #failures = 0;
  #hint: ClaimHint | null = null;
  /** IDs cancelled while a claim is in flight that may be about to return them. */
  #cancelledMeanwhile: Set<bigint> | null = null;
  #loop: Promise<void> | null = null;
  #draining: Promise<void> | null = null;
  #drained: (() => void) | null = null;

  constructor(dependencies: QueueProducerDependencies<Tx>) {
    this.#dependencies = dependencies;
    this.#settings = dependencies.settings;
    const { environment, logger, queue } = dependencies;
    this.#alarm = new DueAlarm(environment.clock, () => this.#trigger.set());
    this.#refusals = new RefusedRows<bigint>({
      clock: environment.clock,
      logger,
      keepMs: REFUSED_MS,
      capacity: REFUSED_JOBS,
      attribute: "jobId",
      message: "a job cannot be claimed: the database refuses the change; it is passed over",
      attributes: { queue },
    });
  }

  get queue(): string {
    return this.#dependencies.queue;
  }

  get settings(): QueueSettings {
    return this.#settings;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Attempts that have not been accepted by the completion pipeline yet. */
  get activeAttempts(): number {
    return this.#active.size;
  }

  /** IDs of the jobs that run now. */
  activeIds(): bigint[] {
    return Array.from(this.#active, (attempt) => attempt.record.id);
  }

  /** Kind of each running attempt. */
  activeKinds(): string[] {
    return Array.from(this.#active, (attempt) => loggableJob(attempt.record).jobKind);
  }

  /** Begins claiming; the first claim does not wait for a poll. */
  start(): void {
    this.#loop = this.#run(this.#stopping.signal);
  }

  /**
   * A job was inserted: claim as soon as the cool-down allows, and once more a cool-down later, because what the same
   * client inserted in between was not announced.
   */
  wake(): void {
    this.#announced = true;
    this.#trigger.set();
  }

  /** A job will be due at `at`: claim then, as soon as the cool-down allows. */
  wakeAt(at: Temporal.Instant): void {
    if (!this.#stopping.signal.aborted) this.#alarm.set(at);
  }

  /** Applies a pause or a resumption; false when nothing changed. Running attempts go on either way. */
  setPaused(paused: boolean): boolean {
    if (this.#paused === paused) return false;
    this.#paused = paused;
    this.#trigger.set();
    return true;
  }

  /** Replaces capacity and pacing. Running attempts beyond a lower capacity finish normally. */
  reconfigure(settings: QueueSettings): void {
    this.#settings = settings;
    this.#trigger.set();
  }

  /** Aborts the running attempts of a job because it was cancelled, also one that a claim is about to return. */
  cancel(id: bigint): void {
    this.#cancelledMeanwhile?.add(id);
    for (const attempt of this.#active) if (attempt.record.id === id) attempt.cancel();
  }

  /** Whether `attempt` is one of those that run here. */
  isWorking(attempt: object | null): boolean {
    for (const active of this.#active) if (active === attempt) return true;
    return false;
  }

  /** Number of this job's running attempt here, or null. */
  runningAttemptOf(id: bigint): number | null {
    for (const { record } of this.#active) if (record.id === id) return record.attempt;
    return null;
  }

  /** Stops claiming at once; a claim in flight is awaited by `drain` and its jobs are worked. */
  stopClaiming(): void {
    this.#stopping.abort();
    this.#alarm.cancel();
    this.#trailing?.cancel();
  }

  /** Aborts all running attempts for a shutdown; jobs that a claim in flight still returns are handed back unstarted. */
  interrupt(): void {
    this.#interrupting = true;
    for (const attempt of this.#active) attempt.interrupt();
  }

  /** Resolves when claiming has ended and every attempt has been accepted by the completion pipeline. */
  drain(): Promise<void> {
    this.stopClaiming();
    return (this.#draining ??= this.#finishDraining());
  }

  /** A stuck attempt stops counting against the capacity. */
  releaseSlot(attempt: RunningAttempt): void {
    if (!this.#active.has(attempt) || this.#released.has(attempt)) return;
    this.#released.add(attempt);
    this.#releasedSlots++;
    this.#trigger.set();
  }

  async #finishDraining(): Promise<void> {
    await this.#loop;
    if (this.#active.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  /** Slots that a claim may fill; below zero after the capacity was lowered. */
  get #freeSlots(): number {
    return this.#settings.maxWorkers - (this.#active.size - this.#releasedSlots);
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies.environment;
    while (!stopping.aborted) {
      if (this.#paused) {
        await this.#trigger.wait(stopping);
        continue;
      }
      const began = clock.monotonic();
      const delay = (await this.#claim()) ? 0 : this.#backoff();
      if (delay > 0) await pause(clock, delay, stopping);
      else await this.#waitForTrigger(stopping);
      await this.#coolDown(began, stopping);
    }
  }

  async #waitForTrigger(stopping: AbortSignal): Promise<void> {
    if (this.#trigger.isSet) return this.#trigger.wait();
    const { clock, random } = this.#dependencies.environment;
    const poll = clock.setTimer(() => this.#trigger.set(), jitteredPollInterval(this.#settings.pollIntervalMs, random));
    await this.#trigger.wait(stopping);
    poll.cancel();
  }

  async #coolDown(began: number, stopping: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies.environment;
    const left = this.#settings.fetchCooldownMs - (clock.monotonic() - began);
    if (left > 0) await pause(clock, left, stopping);
  }

  #backoff(): number {
    this.#failures++;
    return backoffMs(BACKGROUND_BACKOFF, this.#failures, this.#dependencies.environment.random);
  }

  /** One claim for the free slots; false when the database refused it. */
  async #claim(): Promise<boolean> {
    const limit = this.#freeSlots;
    this.#wantsMore = limit <= 0;
    if (this.#wantsMore) return true;
    const { queue, clientId, kinds, facets, environment } = this.#dependencies;
    const began = environment.clock.monotonic();
    // Whatever asked for a claim so far is served by this one.
    this.#trigger.clear();
    this.#trail();
    this.#cancelledMeanwhile = new Set();
    const refusedBefore = this.#refusals.noted;
    try {
      const claimed = await facets.jobs.claim(
        { queue, clientId, limit, kinds, hint: this.#hint, refusals: this.#refusals },
        { now: environment.databaseNow?.(), timeoutMs: CLAIM_TIMEOUT_MS },
      );
      this.#hint = claimed.hint;
      this.#wantsMore = claimed.jobs.length === limit;
      this.#measure(claimed.jobs.length, environment.clock.monotonic() - began);
      this.#dependencies.hub.tally?.claimed(claimed.jobs);
      for (const record of claimed.jobs) this.#beginSafely(record);
      // Slots that became free while the claim was on its way have asked for nothing.
      if (this.#wantsMore && this.#freeSlots > 0) this.#trigger.set();
      return this.#goesOn(claimed.jobs.length < limit && this.#refusals.noted > refusedBefore, claimed.jobs.length > 0);
    } catch (error) {
      this.#claimFailed(error);
      return false;
    } finally {
      this.#cancelledMeanwhile = null;
    }
  }

  /** Behind jobs that were refused there may be more. When it is all of them, asking on and on leads nowhere. */
  #goesOn(stoppedShort: boolean, foundSome: boolean): boolean {
    if (stoppedShort && !foundSome && this.#refusals.isFull) return false;
    this.#failures = 0;
    if (stoppedShort) this.#trigger.set();
    return true;
  }

  /** Arranges the claim after one that was announced; it is not announced itself, so nothing follows it. */
  #trail(): void {
    if (!this.#announced) return;
    this.#announced = false;
    this.#trailing?.cancel();
    const { environment, noticeIntervalMs } = this.#dependencies;
    const wait = Math.max(noticeIntervalMs, this.#settings.fetchCooldownMs);
    this.#trailing = environment.clock.setTimer(() => this.#trigger.set(), wait);
  }

  #claimFailed(error: unknown): void {
    const { queue, logger, onFailure } = this.#dependencies;
    if (isPermanentFailure(error)) {
      this.stopClaiming();
      onFailure(error);
    } else logBackgroundFailure(logger, error, { queue }, "claiming jobs failed; trying again");
  }

  #measure(count: number, tookMs: number): void {
    const { hub, queue } = this.#dependencies;
    if (!hub.metricsWanted) return;
    const duration = Temporal.Duration.from({ microseconds: Math.round(tookMs * 1_000) });
    hub.metric({ name: "job_get_available_duration", duration, queue });
    hub.metric({ name: "job_get_available_count", count, queue });
  }

  /** A row so damaged that not even its failure can be described must cost its neighbours nothing. */
  #beginSafely(record: JobRecord): void {
    try {
      this.#begin(record);
    } catch (error) {
      const message = "a claimed job cannot be started; it stays running until it is rescued";
      this.#dependencies.logger.error({ ...loggableJob(record), error }, message);
    }
  }

  #begin(record: JobRecord): void {
    const { runner, pipeline, confirmCancel } = this.#dependencies;
    const noticed = this.#cancelledMeanwhile?.has(record.id) ?? false;
    const cancelled = noticed && record.attempt === 1;
    const attempt = this.#interrupting && !cancelled ? runner.handBack(record) : runner.start(record, cancelled);
    this.#active.add(attempt);
    if (noticed && !cancelled) confirmCancel(this, record.id);
    void attempt.end.then(async (end) => {
      const waiting = end && pipeline.accept(end);
      if (waiting) await waiting;
      this.#ended(attempt);
    });
  }

  #ended(attempt: RunningAttempt): void {
    this.#active.delete(attempt);
    if (this.#released.has(attempt)) this.#releasedSlots--;
    if (this.#wantsMore) this.#trigger.set();
    if (this.#active.size === 0) this.#drained?.();
  }
}
