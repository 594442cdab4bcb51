/**
 * Keeps one notice stream open and hands notices to whom they concern. Owns the subscription and its back-off. Notices
 * only ever hasten what polling finds anyway; after an outage it has everything looked at that may have been missed.
 */
import type { DriverFacets } from "../driver/driver.ts";
import type { Notice } from "../driver/notice.ts";
import type { NoticeStream } from "../driver/notices-facet.ts";
import { isJsonNumber, jsonNumberToBigInt } from "../json/exact-json-number.ts";
import type { JsonObject } from "../json/json-value.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import { BACKGROUND_BACKOFF, backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import { deferred } from "../kit/deferred.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";

/** Where notices go. */
export interface NoticeReceivers {
  /** Jobs may be waiting in `queue`. */
  onInsert(queue: string): void;
  /** A job of `queue` was cancelled. */
  onCancel(queue: string, jobId: bigint): void;
  /** Pause flag or metadata of `queue`, or with `*` of all queues, changed. */
  onControl(queue: string): void;
  /** Any notice on the leadership topic. */
  onLeadership(notice: Notice): void;
  /** The stream is back after an outage: whatever came meanwhile was missed. */
  onRestored(): void;
}

/** What the pump works with. */
export interface NotificationPumpDependencies<Tx> {
  readonly facets: DriverFacets<Tx>;
  readonly receivers: NoticeReceivers;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class NotificationPump<Tx> {
  readonly #dependencies: NotificationPumpDependencies<Tx>;
  readonly #stopping = new AbortController();
  readonly #stopped = deferred<null>();
  #stream: NoticeStream | null = null;
  #restoring: Promise<void> | null = null;

  constructor(dependencies: NotificationPumpDependencies<Tx>) {
    this.#dependencies = dependencies;
  }

  /** Resolves once listening. Rejects when the first subscription fails; that is not retried. */
  async start(): Promise<void> {
    this.#stream = await this.#listen();
  }

  /** Ends delivery; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopped.resolve(null);
    await this.#restoring;
    await this.#stream?.close();
  }

  #listen(): Promise<NoticeStream> {
    return this.#dependencies.facets.notices.listen({
      topics: ["river_insert", "river_control", "river_leadership"],
      onNotice: (notice) => this.#dispatch(notice),
      onLost: (error) => {
        // Without a stream another one is being made already: two of them, and one would be forgotten.
        if (this.#stream === null || this.#stopping.signal.aborted) return;
        this.#stream = null;
        this.#restoring = this.#restore(error);
      },
    });
  }

  /** A server that takes a connection and then says nothing must not hold up the stop; what comes of it is closed. */
  async #listenUnlessStopped(): Promise<NoticeStream | null> {
    const listening = this.#listen();
    const stream = await Promise.race([listening, this.#stopped.promise]);
    if (stream === null) listening.then((late) => void late.close()).catch(() => {});
    return stream;
  }

  async #restore(cause: unknown): Promise<void> {
    const { environment, logger, receivers, onFailure } = this.#dependencies;
    const stopping = this.#stopping.signal;
    let error = cause;
    for (let failures = 1; !stopping.aborted; failures++) {
      if (isPermanentFailure(error)) return onFailure(error);
      logBackgroundFailure(logger, error, {}, "the notification stream broke; subscribing again");
      await pause(environment.clock, backoffMs(BACKGROUND_BACKOFF, failures, environment.random), stopping);
      if (stopping.aborted) return;
      try {
        this.#stream = await this.#listenUnlessStopped();
        if (this.#stream === null) return;
        return receivers.onRestored();
      } catch (failure) {
        error = failure;
      }
    }
  }

  #dispatch(notice: Notice): void {
    const { receivers, logger } = this.#dependencies;
    if (notice.topic === "river_leadership") return receivers.onLeadership(notice);
    try {
      const payload = parseJsonObject(notice.payload);
      const { queue } = payload;
      if (typeof queue !== "string")
        logger.error({ topic: notice.topic }, "a notification names no queue; it is ignored");
      else if (notice.topic === "river_insert") receivers.onInsert(queue);
      else this.#control(queue, payload);
    } catch (error) {
      logger.error({ topic: notice.topic, error }, "a notification could not be read; it is ignored");
    }
  }

  #control(queue: string, { action, job_id: jobId }: JsonObject): void {
    const { receivers, logger } = this.#dependencies;
    if (action === "cancel" && isJsonNumber(jobId)) receivers.onCancel(queue, jsonNumberToBigInt(jobId));
    else if (action === "pause" || action === "resume" || action === "metadata_changed") receivers.onControl(queue);
    else logger.debug({ action }, "a control notification with an unknown action is ignored");
  }
}
