/** What all attempts of one client share, and what an attempt is to those who started it. */
import type { Client } from "../api/client.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import type { ErrorStacks } from "../model/errors/recorded-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { RiverErrorHandler } from "../work/error-handler.ts";
import type { RetryPolicy } from "../work/retry-policy.ts";
import type { AttemptDeadlines } from "./attempt-deadlines.ts";
import type { AttemptEvents } from "./attempt-events.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import type { AttemptPlan } from "./attempt-plan.ts";
import type { RecorderDependencies } from "./attempt-recorder.ts";
import type { StuckAttempts } from "./attempt-stuck.ts";

/** An attempt that has been started. */
export interface RunningAttempt {
  /** The job as claimed. */
  readonly record: JobRecord;
  /**
   * Resolves when the attempt has ended, to null when its end could not even be described because the row is damaged:
   * then nothing is written, and the job is left to the rescuer. Never rejects.
   */
  readonly end: Promise<AttemptEnd | null>;
  /** The job was cancelled from outside. */
  cancel(): void;
  /** The client stops running handlers. */
  interrupt(): void;
}

/** See the file header. */
export interface AttemptServices<Tx> extends RecorderDependencies<Tx> {
  readonly client: Client<Tx>;
  readonly clientId: string;
  readonly environment: Environment;
  /** Never throws. */
  readonly logger: Logger;
  readonly events: AttemptEvents;
  readonly deadlines: AttemptDeadlines;
  readonly stuckAttempts: StuckAttempts;
  readonly jobStuckThresholdMs: number;
  readonly errorHandler: RiverErrorHandler<Tx> | null;
  readonly retryPolicy: RetryPolicy | null;
  readonly nearFutureMs: number;
  readonly errorStacks: ErrorStacks;
  /** Null for a kind without a worker. */
  planOf(kind: string): AttemptPlan<Tx> | null;
  /** A stuck attempt stops counting against the capacity of its queue. */
  releaseSlot(attempt: RunningAttempt): void;
}
