/**
 * Everything a client does about leadership: takes part in elections, and runs maintenance while it leads. The face of
 * this room; the runtime starts it, hands it notices and stops it.
 */
import type { MaintenanceDiagnostics } from "../api/run-handle.ts";
import type { DriverFacets } from "../driver/driver.ts";
import type { Notice } from "../driver/notice.ts";
import type { DriverTraits } from "../driver/traits.ts";
import type { NoticeLimiter } from "../insert/notice-limiter.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { canonicalError } from "../model/errors/recorded-error.ts";
import type { RiverEvent } from "../model/river-event.ts";
import { Elector } from "./elector.ts";
import { jobCleaner } from "./job-cleaner.ts";
import type { MaintenanceService } from "./maintenance-service.ts";
import type { MaintenanceSettings } from "./maintenance-settings.ts";
import { notificationCleaner } from "./notification-cleaner.ts";
import { PeriodicEnqueuer, type PeriodicParts } from "./periodic-enqueuer.ts";
import { queueCleaner } from "./queue-cleaner.ts";
import { Reindexer } from "./reindexer.ts";
import { Rescuer } from "./rescuer.ts";
import { Scheduler } from "./scheduler.ts";
import type { StuckJobPolicy } from "./stuck-job-policy.ts";
import type { Tenure } from "./tenure.ts";
import { TermSupervisor } from "./term-supervisor.ts";

/** What leadership works with. */
export interface LeadershipDependencies<Tx> {
  readonly facets: DriverFacets<Tx>;
  readonly traits: DriverTraits;
  readonly clientId: string;
  readonly settings: MaintenanceSettings;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly emit: (event: RiverEvent) => void;
  /** The client's limiter of insert notices, shared with its inserter. */
  readonly limiter: NoticeLimiter;
  readonly stuckPolicy: StuckJobPolicy;
  readonly periodicJobs: PeriodicParts<Tx>["registry"];
  readonly inserter: PeriodicParts<Tx>["inserter"];
  readonly extensions: { readonly onPeriodicJobsStart: PeriodicParts<Tx>["onStart"] };
  /** Told about failures that no retry can mend and about broken invariants; must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class Leadership<Tx> {
  readonly #dependencies: LeadershipDependencies<Tx>;
  readonly #elector: Elector<Tx>;
  readonly #supervisor: TermSupervisor;
  #lastError: string | null = null;

  constructor(dependencies: LeadershipDependencies<Tx>) {
    this.#dependencies = dependencies;
    const { facets, clientId, settings, environment, logger, emit, onFailure } = dependencies;
    const onAttempt = (error: unknown): void => {
      this.#lastError = error === null ? null : canonicalError(error).error;
    };
    const shared = { environment, logger, emit, onAttempt, onFailure };
    this.#supervisor = new TermSupervisor({ ...shared, services: servicesOf(dependencies) });
    this.#elector = new Elector<Tx>({
      ...shared,
      leader: facets.leader,
      clientId,
      intervalMs: settings.electionIntervalMs,
      onElected: (tenure) => this.#begin(tenure),
    });
  }

  get diagnostics(): MaintenanceDiagnostics {
    const { tenure } = this.#elector;
    const runs = (service: Parameters<TermSupervisor["runsOf"]>[0]): number => this.#supervisor.runsOf(service);
    return {
      isLeader: tenure !== null,
      leader: tenure?.term ?? null,
      lastError: this.#lastError,
      runs: {
        scheduler: runs("scheduler"),
        rescuer: runs("rescuer"),
        job_cleaner: runs("job_cleaner"),
        queue_cleaner: runs("queue_cleaner"),
        notification_cleaner: runs("notification_cleaner"),
        reindexer: runs("reindexer"),
        periodic: runs("periodic"),
      },
    };
  }

  /** Bids for leadership at once and from then on. */
  start(): void {
    this.#elector.start();
  }

  /** Takes any notice; those that are not about leadership mean nothing here. */
  onNotice(notice: Notice): void {
    this.#elector.onNotice(notice);
  }

  /** The notice stream is back after an outage: a resignation may have been missed. */
  onStreamRestored(): void {
    this.#elector.expectVacancy();
  }

  /** Ends the current term if this client leads; it may win the next. */
  requestResignation(): void {
    this.#elector.requestResignation();
  }

  /** Resigns at once, if leading, ends maintenance and never bids again. Resolves when all of it has ended; never rejects. */
  async stop(): Promise<void> {
    await this.#elector.stop();
    await this.#supervisor.ended();
  }

  #begin(tenure: Tenure): void {
    const { environment, emit, logger, clientId } = this.#dependencies;
    const { term } = tenure;
    logger.info({ clientId, electedAt: term.electedAt.toString() }, "elected leader");
    emit({ kind: "leader_acquired", at: environment.clock.now(), leader: term });
    // Whoever was told of it may have stopped the client.
    const ended = (): void => {
      logger.info({ clientId, reason: tenure.ended }, "no longer leader");
      emit({ kind: "leader_lost", at: environment.clock.now(), leader: tenure.term });
    };
    if (tenure.signal.aborted) ended();
    else tenure.signal.addEventListener("abort", ended, { once: true });
    this.#supervisor.serve(tenure);
  }
}

function servicesOf<Tx>(dependencies: LeadershipDependencies<Tx>): readonly MaintenanceService[] {
  const { traits, limiter, stuckPolicy, periodicJobs, inserter, extensions } = dependencies;
  const { facets, settings, environment, logger } = dependencies;
  const context = { facets, settings, environment, logger };
  return [
    new Scheduler(context, (queues) => limiter.noticesFor(queues)),
    new Rescuer(context, stuckPolicy),
    jobCleaner(context),
    queueCleaner(context),
    ...(traits.outbox ? [notificationCleaner(context)] : []),
    new Reindexer(context),
    new PeriodicEnqueuer(context, { registry: periodicJobs, inserter, onStart: extensions.onPeriodicJobsStart }),
  ];
}
