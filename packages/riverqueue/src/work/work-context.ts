/** What handlers, hooks and middleware of an attempt are given. One context belongs to one attempt of one job. */
import type { Client } from "../api/client.ts";
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { Job, JobDefinition } from "../definition/job-definition.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { WorkLogger } from "../kit/logger.ts";
import type { JobRow } from "../model/job-row.ts";
import type { Resumable } from "./resumable.ts";

/** Where and since when an attempt runs. */
export interface WorkExecution {
  /** ID of the client that claimed the job for this attempt. */
  readonly attemptedBy: string;
  /** Start of the attempt; the time of its error, should it fail. */
  readonly startedAt: Temporal.Instant;
}

/** What `beforeWork` hooks and work middleware get: the attempt before its arguments are decoded. */
export interface WorkAttemptContext<Tx = RegisteredTransaction> {
  readonly client: Client<Tx>;
  readonly execution: WorkExecution;
  /** The job as claimed, `args` as persisted. */
  readonly job: JobRow;
  /** Logs with `jobId`, `jobKind` and `attempt` attached. */
  readonly logger: WorkLogger;
  /**
   * Records the job's output under the metadata key `output`, written when the attempt ends, whatever its outcome. The
   * last call counts.
   *
   * @throws JsonValueError when it is no JSON or larger than 32 MiB; JobAttemptFinishedError after the attempt.
   */
  readonly recordOutput: (output: JsonValue) => void;
  /**
   * Records a metadata key, written when the attempt ends, whatever its outcome. The last value per key counts and
   * replaces the stored one as a whole.
   *
   * @throws ValidationError for a key that starts with `river:`; JsonValueError when the value is no JSON or larger than
   *   32 MiB; JobAttemptFinishedError after the attempt.
   */
  readonly setMetadata: (key: string, value: JsonValue) => void;
  /**
   * Aborts once, when the job is cancelled (`JobCancelledError`), the timeout has passed (`JobTimeoutError`), the client
   * stops running handlers (`LifecycleError`), or the attempt has ended (`JobAttemptFinishedError`). Pass it to what you
   * await, and catch the abort only to clean up.
   */
  readonly signal: AbortSignal;
}

/** What an error handler gets: the attempt, whose metadata it cannot change any more. */
export type ErrorHandlerContext<Tx = RegisteredTransaction> = Omit<WorkAttemptContext<Tx>, "setMetadata">;

/** Options of {@link WorkContext.completeTx}. */
export interface CompleteTxOptions {
  /** Recorded as by `recordOutput`. */
  readonly output?: JsonValue | undefined;
}

/** What a handler and the `afterWork` hooks get. */
export interface WorkContext<Definition extends JobDefinition = JobDefinition, Tx = RegisteredTransaction> extends Omit<
  WorkAttemptContext<Tx>,
  "job"
> {
  /** The job as claimed, `args` decoded and `rawArgs` as persisted. */
  readonly job: Job<Definition>;
  /**
   * Completes the job in a transaction of the application, together with what was recorded so far; seen by others when
   * that commits. What the handler does afterwards cannot change the job's state any more; after a rollback the
   * handler's result counts as usual.
   *
   * @returns the completed job.
   * @throws JobAttemptFinishedError when the attempt does not own the job's row any more: it was deleted, rescued,
   *   cancelled, completed already or claimed again. The transaction stays the application's to roll back.
   */
  readonly completeTx: (tx: Tx, options?: CompleteTxOptions) => Promise<JobRow>;
  /** Steps that a later attempt skips when they have succeeded. */
  readonly resumable: Resumable<Tx>;
}

/** What `currentWorkContext` returns: the context of whatever handler runs, so nothing is known about its job. */
export type CurrentWorkContext = WorkContext;
