/**
 * Reads what others decided about the queues of this runtime: pause flags, metadata, and cancellations of the jobs that
 * run here. Polls at an interval and at once when asked. The database row is the only truth: a transition is reported
 * once, whichever path saw it first.
 */
import { isDeepStrictEqual } from "node:util";
import type { DriverFacets } from "../driver/driver.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import { BACKGROUND_BACKOFF, backoffMs } from "../kit/backoff.ts";
import type { Environment } from "../kit/environment.ts";
import { Latch } from "../kit/latch.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import { queueRowOf } from "../model/queue-row-view.ts";
import type { QueueRecord } from "../model/queue-row.ts";
import type { EventHub } from "./event-hub.ts";
import type { QueueProducer } from "./queue-producer.ts";

/** Longest time of one control statement, in milliseconds. */
const CONTROL_TIMEOUT_MS = 10_000;

/** What the poller works with. */
export interface ControlPollerDependencies<Tx> {
  readonly clientId: string;
  readonly intervalMs: number;
  readonly facets: DriverFacets<Tx>;
  readonly producers: ReadonlyMap<string, QueueProducer<Tx>>;
  readonly hub: EventHub;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class ControlPoller<Tx> {
  readonly #dependencies: ControlPollerDependencies<Tx>;
  readonly #metadata = new Map<string, string>();
  /** Worked queues whose metadata could not be read the last time. */
  readonly #unreadable = new Set<string>();
  readonly #wake = new Latch();
  readonly #stopping = new AbortController();
  /** Cancellations being looked up. */
  readonly #confirming = new Set<Promise<void>>();
  #loop: Promise<void> | null = null;
  #failures = 0;

  constructor(dependencies: ControlPollerDependencies<Tx>) {
    this.#dependencies = dependencies;
  }

  /** Takes over the state in which a queue starts, without events. */
  adopt(producer: QueueProducer<Tx>, row: QueueRecord): void {
    producer.setPaused(row.isPaused);
    const metadata = this.#readMetadata(row);
    if (metadata !== null) this.#metadata.set(row.name, metadata);
  }

  /** Forgets a removed queue. */
  forget(queue: string): void {
    this.#metadata.delete(queue);
    this.#unreadable.delete(queue);
  }

  start(): void {
    this.#loop = this.#run(this.#stopping.signal);
  }

  /** Polls as soon as possible. */
  pollNow(): void {
    this.#wake.set();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#confirming);
  }

  /**
   * A cancel notice named a job that runs here. A job's first attempt can be meant by no other notice; a later one is
   * aborted only when the row says so, because a notice that was late may have meant an attempt before it.
   */
  cancelNoticed(producer: QueueProducer<Tx>, jobId: bigint): void {
    const attempt = producer.runningAttemptOf(jobId);
    if (attempt === null || attempt === 1) producer.cancel(jobId);
    else this.confirmCancel(producer, jobId);
  }

  /** Aborts the job if its row says that it was cancelled. When the row cannot be read the next poll does it. */
  confirmCancel(producer: QueueProducer<Tx>, jobId: bigint): void {
    const { facets, clientId, environment, logger } = this.#dependencies;
    const call = { now: environment.databaseNow?.(), timeoutMs: CONTROL_TIMEOUT_MS };
    const confirmation = facets.jobs.cancelRequested({ clientId, ids: [jobId] }, call).then(
      (ids) => ids.forEach((id) => producer.cancel(id)),
      (error: unknown) => logBackgroundFailure(logger, error, {}, "reading a cancellation failed; polling finds it"),
    );
    this.#confirming.add(confirmation);
    void confirmation.then(() => this.#confirming.delete(confirmation));
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { environment, logger, onFailure, intervalMs } = this.#dependencies;
    while (!stopping.aborted) {
      const wait = this.#failures > 0 ? backoffMs(BACKGROUND_BACKOFF, this.#failures, environment.random) : intervalMs;
      const timer = environment.clock.setTimer(() => this.#wake.set(), wait);
      await this.#wake.wait(stopping);
      timer.cancel();
      if (stopping.aborted) return;
      try {
        await this.#poll();
        this.#failures = 0;
      } catch (error) {
        this.#failures++;
        if (isPermanentFailure(error)) return onFailure(error);
        logBackgroundFailure(logger, error, {}, "reading queue controls failed; trying again");
      }
    }
  }

  async #poll(): Promise<void> {
    const { facets, producers, environment, clientId } = this.#dependencies;
    const call = { now: environment.databaseNow?.(), timeoutMs: CONTROL_TIMEOUT_MS };
    const rows = await facets.queues.getMany({ names: [...producers.keys()] }, call);
    for (const row of rows) this.#apply(row);
    const ids = [...producers.values()].flatMap((producer) => producer.activeIds());
    if (ids.length === 0) return;
    const cancelled = await facets.jobs.cancelRequested({ clientId, ids }, call);
    for (const id of cancelled) for (const producer of producers.values()) producer.cancel(id);
  }

  /** Null when it cannot be read; the queue is worked all the same, since nothing depends on its metadata. */
  #readMetadata(row: QueueRecord): string | null {
    const { name: queue } = row;
    try {
      const { metadata } = row;
      this.#unreadable.delete(queue);
      return metadata;
    } catch (error) {
      // Said once, not at every poll.
      if (!this.#unreadable.has(queue)) {
        const message = "the metadata of a queue cannot be read; changes of it are not reported";
        this.#dependencies.logger.error({ queue, error }, message);
      }
      this.#unreadable.add(queue);
      return null;
    }
  }

  #apply(row: QueueRecord): void {
    const { producers, hub, environment } = this.#dependencies;
    const producer = producers.get(row.name);
    if (!producer) return;
    const at = environment.clock.now();
    const paused = row.isPaused;
    if (producer.setPaused(paused)) {
      hub.emit({ at, kind: paused ? "queue_paused" : "queue_resumed", queue: queueRowOf(row) });
    }
    const before = this.#metadata.get(row.name);
    const metadata = this.#readMetadata(row);
    if (metadata === null) return;
    this.#metadata.set(row.name, metadata);
    if (before !== undefined && !sameJson(before, metadata)) {
      hub.emit({ at, kind: "queue_updated", queue: queueRowOf(row) });
    }
  }
}

/** Whether two JSON texts of objects mean the same; formatting and key order do not count. */
function sameJson(a: string, b: string): boolean {
  return a === b || isDeepStrictEqual(parseJsonObject(a), parseJsonObject(b));
}
