/** Keeps the rows of worked queues alive, paused ones too, so that the queue cleaner leaves them. */
import type { DriverFacets } from "../driver/driver.ts";
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";

/** Upper bound of the random delay by which clients that started together drift apart, in milliseconds. */
const START_OFFSET_MS = 1_000;
/** Longest time of one heartbeat statement, in milliseconds. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

/** What a heartbeat works with. */
export interface QueueHeartbeatDependencies<Tx> {
  readonly intervalMs: number;
  readonly facets: DriverFacets<Tx>;
  /** Names of the queues worked now. */
  readonly queues: () => Iterable<string>;
  readonly environment: Environment;
  readonly logger: Logger;
  /** Told about failures that no retry can mend. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. The first heartbeat comes a whole interval after the start, which has written the rows. */
export class QueueHeartbeat<Tx> {
  readonly #dependencies: QueueHeartbeatDependencies<Tx>;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(dependencies: QueueHeartbeatDependencies<Tx>) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#loop = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { environment, intervalMs, queues } = this.#dependencies;
    await pause(environment.clock, environment.random() * START_OFFSET_MS, stopping);
    while (!stopping.aborted) {
      await pause(environment.clock, intervalMs, stopping);
      for (const name of queues()) if (!stopping.aborted) await this.#beat(name);
    }
  }

  async #beat(name: string): Promise<void> {
    const { facets, environment, logger, onFailure } = this.#dependencies;
    try {
      const call = { now: environment.databaseNow?.(), timeoutMs: HEARTBEAT_TIMEOUT_MS };
      await facets.queues.keepAlive({ name }, call);
    } catch (error) {
      if (isPermanentFailure(error)) return onFailure(error);
      logBackgroundFailure(logger, error, { queue: name }, "the queue heartbeat failed; trying again next time");
    }
  }
}
