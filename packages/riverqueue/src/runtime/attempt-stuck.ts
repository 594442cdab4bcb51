/** Attempts of one client that run on although their timeout and the stuck threshold have passed. */
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { JobStuckError } from "../model/errors/job-stuck-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import { jobRowOf } from "../model/job-row-view.ts";
import { durationOfMs } from "../options/duration-input.ts";
import type { JobStuckHandler } from "../work/job-stuck-handler.ts";
import type { AttemptEvents } from "./attempt-events.ts";
import { asksFor } from "./handler-answer.ts";

/** What the watch works with. */
export interface StuckDependencies {
  readonly thresholdMs: number;
  readonly stuckHandler: JobStuckHandler | null;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly events: AttemptEvents;
}

/** See the file header. */
export class StuckAttempts {
  readonly #dependencies: StuckDependencies;
  #total = 0;

  constructor(dependencies: StuckDependencies) {
    this.#dependencies = dependencies;
  }

  /** An attempt is stuck. Resolves to whether its queue may run another in its place. */
  async report(record: JobRecord, timeoutMs: number): Promise<boolean> {
    const { thresholdMs, logger, environment, events } = this.#dependencies;
    const totalStuckJobs = ++this.#total;
    const error = new JobStuckError(record.id, durationOfMs(timeoutMs), durationOfMs(thresholdMs));
    logger.warn({ ...attributesOf(record), totalStuckJobs, error }, "a job is stuck: it runs on after its timeout");
    if (events.wanted("job_stuck"))
      events.emit({ at: environment.clock.now(), kind: "job_stuck", job: jobRowOf(record), error });
    return this.#handlerAddsSlot(record, totalStuckJobs);
  }

  /** An attempt that was stuck has ended after all. */
  ended(record: JobRecord, tookMs: number): void {
    this.#total--;
    const attributes = {
      ...attributesOf(record),
      duration: durationOfMs(tookMs).toString(),
      totalStuckJobs: this.#total,
    };
    this.#dependencies.logger.info(attributes, "a job that was stuck has ended");
  }

  async #handlerAddsSlot(record: JobRecord, totalStuckJobs: number): Promise<boolean> {
    const { stuckHandler, logger } = this.#dependencies;
    if (stuckHandler === null) return false;
    const { id, kind, queue } = record;
    try {
      return asksFor(await stuckHandler({ id, kind, queue, totalStuckJobs }), "addWorkerSlot", "stuckHandler");
    } catch (error) {
      logger.error(
        { ...attributesOf(record), error },
        "the stuck handler failed; it is taken to have asked for nothing",
      );
      return false;
    }
  }
}

function attributesOf({ id, kind, attempt }: JobRecord): { jobId: string; jobKind: string; attempt: number } {
  return { jobId: String(id), jobKind: kind, attempt };
}
