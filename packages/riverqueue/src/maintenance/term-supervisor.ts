/**
 * Runs the services of a leader during its terms. Owns their passes: counts them, reports how each went, and sees that all
 * end with the term. A slow or failing service never touches another one, nor the renewal of leadership.
 */
import { backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import type { MaintenanceServiceName, RiverEvent } from "../model/river-event.ts";
import type { MaintenanceService, Pass } from "./maintenance-service.ts";
import type { Tenure } from "./tenure.ts";

/** Each service begins within this time of the election, in milliseconds, so that their first passes spread. */
const STAGGER_MS = 1000;
/** Tries to make the services ready, and the pauses between them in milliseconds. */
const START_TRIES = 3;
const START_BACKOFF = { baseMs: 1000, maxMs: 2000 };

/** What a supervisor works with. */
export interface TermSupervisorDependencies {
  readonly services: readonly MaintenanceService[];
  readonly environment: Environment;
  readonly logger: Logger;
  readonly emit: (event: RiverEvent) => void;
  /** How the latest pass went: null when it succeeded. */
  readonly onAttempt: (error: unknown) => void;
  /** A failure that no retry can mend, or a broken invariant. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class TermSupervisor {
  readonly #dependencies: TermSupervisorDependencies;
  readonly #serving = new Set<Promise<void>>();
  readonly #runs = new Map<MaintenanceServiceName, number>();

  constructor(dependencies: TermSupervisorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Passes finished so far, failed ones included. */
  runsOf(service: MaintenanceServiceName): number {
    return this.#runs.get(service) ?? 0;
  }

  /** Starts the services for a term; they end with its signal. */
  serve(tenure: Tenure): void {
    const serving = this.#serve(tenure).catch((error: unknown) => this.#dependencies.onFailure(error));
    this.#serving.add(serving);
    void serving.finally(() => this.#serving.delete(serving));
  }

  /** Resolves when the services of all terms so far have ended. Never rejects. */
  async ended(): Promise<void> {
    await Promise.all(this.#serving);
  }

  async #serve(tenure: Tenure): Promise<void> {
    if (!(await this.#prepareAll(tenure))) return tenure.finish("asked");
    await Promise.all(this.#dependencies.services.map((service) => this.#serveOne(service, tenure)));
  }

  /** False when the services cannot be made ready: then somebody else should lead. */
  async #prepareAll(tenure: Tenure): Promise<boolean> {
    const { services, environment, logger, onAttempt } = this.#dependencies;
    for (let tries = 1; tenure.holds(); tries++) {
      try {
        for (const service of services) service.prepare?.(tenure);
        return true;
      } catch (error) {
        onAttempt(error);
        logger.error({ error }, "maintenance services failed to start");
        if (tries === START_TRIES) return false;
        await pause(environment.clock, backoffMs(START_BACKOFF, tries, environment.random), tenure.signal);
      }
    }
    return true;
  }

  async #serveOne(service: MaintenanceService, tenure: Tenure): Promise<void> {
    const { clock, random } = this.#dependencies.environment;
    await pause(clock, STAGGER_MS * random(), tenure.signal);
    if (tenure.holds()) await service.serve(tenure, (pass) => this.#run(service.name, tenure, pass));
  }

  async #run(service: MaintenanceServiceName, tenure: Tenure, pass: Pass): Promise<void> {
    if (!tenure.holds()) return;
    const { environment, logger, emit, onAttempt, onFailure } = this.#dependencies;
    try {
      const count = await pass();
      if (count === null) return tenure.finish("gone");
      this.#count(service);
      onAttempt(null);
      emit({ kind: "maintenance_succeeded", at: environment.clock.now(), service, count });
    } catch (error) {
      if (isPermanentFailure(error)) return onFailure(error);
      // What the end of the term interrupted has not failed.
      if (!tenure.holds()) return;
      this.#count(service);
      onAttempt(error);
      logBackgroundFailure(logger, error, { service }, "a maintenance pass failed; the next follows at its usual time");
      emit({ kind: "maintenance_failed", at: environment.clock.now(), service, error });
    }
  }

  #count(service: MaintenanceServiceName): void {
    this.#runs.set(service, this.runsOf(service) + 1);
  }
}
