/**
 * Runs attempts: the way from a claimed row to what is to be written about it, which the completion pipeline then
 * persists. It runs the application's code and never writes to the database on its own account.
 */
import type { Client } from "../api/client.ts";
import type { Backend } from "../driver/traits.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import type { ErrorStacks } from "../model/errors/recorded-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { RiverErrorHandler } from "../work/error-handler.ts";
import type { JobStuckHandler } from "../work/job-stuck-handler.ts";
import type { RetryPolicy } from "../work/retry-policy.ts";
import type { Workers } from "../work/workers.ts";
import { AttemptDeadlines } from "./attempt-deadlines.ts";
import type { AttemptEvents } from "./attempt-events.ts";
import { type AttemptPlan, attemptPlan, type WorkExtensions } from "./attempt-plan.ts";
import type { RecorderDependencies } from "./attempt-recorder.ts";
import { AttemptRun } from "./attempt-run.ts";
import type { AttemptServices, RunningAttempt } from "./attempt-services.ts";
import { StuckAttempts } from "./attempt-stuck.ts";
import { classifyOutcome } from "./classify-outcome.ts";

export type { RunningAttempt } from "./attempt-services.ts";

/** What a runner works with. */
export interface AttemptDependencies<Tx> {
  readonly facets: RecorderDependencies<Tx>["facets"];
  /** Names the database in errors. */
  readonly backend: Backend;
  readonly client: Client<Tx>;
  readonly clientId: string;
  readonly workers: Pick<Workers<Tx>, "get">;
  readonly extensions: WorkExtensions<Tx>;
  readonly errorHandler: RiverErrorHandler<Tx> | null;
  readonly retryPolicy: RetryPolicy | null;
  readonly stuckHandler: JobStuckHandler | null;
  /** For workers without a timeout of their own; null for no limit. */
  readonly jobTimeoutMs: number | null;
  /** How long an attempt may ignore its timeout, and an executor's handler any abort. */
  readonly jobStuckThresholdMs: number;
  /** A retry or snooze due within this time is stored `available`. */
  readonly nearFutureMs: number;
  readonly errorStacks: ErrorStacks;
  /** Must not throw. */
  readonly logger: Logger;
  readonly environment: Environment;
  readonly hub: AttemptEvents;
  /** A stuck attempt stops counting against the capacity of its queue. */
  readonly releaseSlot: (attempt: RunningAttempt) => void;
}

/** See the file header. One for each running client. */
export class AttemptRunner<Tx> {
  readonly #services: AttemptServices<Tx>;
  readonly #dependencies: AttemptDependencies<Tx>;
  readonly #plans: Map<string, AttemptPlan<Tx>> = new Map();

  constructor(dependencies: AttemptDependencies<Tx>) {
    const { hub, stuckHandler, jobStuckThresholdMs, environment } = dependencies;
    this.#dependencies = dependencies;
    this.#services = {
      ...dependencies,
      events: hub,
      deadlines: new AttemptDeadlines(environment.clock),
      stuckAttempts: new StuckAttempts({
        ...dependencies,
        stuckHandler,
        thresholdMs: jobStuckThresholdMs,
        events: hub,
      }),
      planOf: (kind) => this.#planOf(kind),
    };
  }

  /**
   * Starts an attempt; the application's code begins in a microtask.
   *
   * @param cancelled - whether the job was cancelled while it was being claimed
   */
  start(record: JobRecord, cancelled: boolean = false): RunningAttempt {
    const attempt = new AttemptRun(this.#services, record);
    if (cancelled) attempt.cancel();
    return attempt;
  }

  /** The end of an attempt that is given back before any code of the application has run for it. */
  handBack(record: JobRecord): RunningAttempt {
    const { clientId, environment, nearFutureMs, errorStacks } = this.#dependencies;
    const now = environment.clock.now();
    const { settlement, eventKind } = classifyOutcome({
      record,
      clientId,
      startedAt: now,
      now,
      verdict: { type: "interrupted" },
      handlerCancels: false,
      retryTime: () => now,
      staged: null,
      nearFutureMs,
      errorStacks,
      deleteOnComplete: false,
    });
    const end = Promise.resolve({ record, settlement, eventKind, completedTx: null });
    return { record, end, cancel() {}, interrupt() {} };
  }

  /** Lets go of its timers, once no attempt runs any more. */
  close(): void {
    this.#services.deadlines.close();
  }

  #planOf(kind: string): AttemptPlan<Tx> | null {
    const known = this.#plans.get(kind);
    if (known !== undefined) return known;
    const { workers, extensions, jobTimeoutMs } = this.#dependencies;
    const registration = workers.get(kind);
    if (registration === undefined) return null;
    const plan = attemptPlan(registration, extensions, jobTimeoutMs);
    this.#plans.set(kind, plan);
    return plan;
  }
}
