/** Steps of a handler whose success outlives the attempt: a retry skips what an earlier attempt has finished. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { JobRow } from "../model/job-row.ts";

/** Options of {@link Resumable.checkpoint}. */
export interface ResumableCheckpointOptions<Tx = RegisteredTransaction> {
  /** The application's open transaction. */
  readonly tx: Tx;
  /** Cursor of the running step; the one set before unless given. */
  readonly cursor?: JsonValue | undefined;
}

/**
 * Resumable steps. They run one after another, each name once, and none inside another. When an attempt fails, is snoozed
 * or interrupted, the name of its last finished step and the cursors of unfinished ones are stored, and the next attempt
 * goes on from there. A step that fails decides the attempt, even if the handler catches its error.
 */
export interface Resumable<Tx = RegisteredTransaction> {
  /**
   * Runs `body` unless an earlier attempt finished this step, or a step of this attempt has failed already.
   *
   * @throws what `body` throws; LifecycleError for a name used twice or a step inside another.
   */
  readonly step: (name: string, body: () => PromiseLike<void> | void) => Promise<void>;
  /**
   * As `step`, for a step that keeps a position: `body` gets the cursor that an unfinished run of it left, else null.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of its own cursor
  readonly stepWithCursor: <Cursor extends JsonValue = JsonValue>(
    name: string,
    body: (cursor: Cursor | null) => PromiseLike<void> | void,
  ) => Promise<void>;
  /**
   * Sets the cursor of the running step; null forgets it.
   *
   * @throws JsonValueError when it is no JSON or too large; LifecycleError outside a step.
   */
  readonly setCursor: (cursor: JsonValue) => void;
  /**
   * Stores the progress so far, the running step and its cursor included, in a transaction of the application. It counts
   * when that commits and is gone when that rolls back. A plain step is then skipped by the next attempt although it has
   * not finished; a step with a cursor goes on from it.
   *
   * @returns the updated job.
   * @throws JobAttemptFinishedError when the attempt does not own the job's row any more; LifecycleError outside a
   *   step.
   */
  readonly checkpoint: (options: ResumableCheckpointOptions<Tx>) => Promise<JobRow>;
}
