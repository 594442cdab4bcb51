/** How an attempt ended, as `afterWork` hooks and the `riverqueue:work` diagnostics channel see it. */
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { WorkOutcome } from "./outcome.ts";

/** What every result has. */
interface RecordedByAttempt {
  /** Output recorded so far. In a result that a hook returns: recorded as by `recordOutput`. */
  readonly output?: JsonValue | undefined;
  /** Metadata recorded so far. In a result that a hook returns: each key is recorded as by `setMetadata`. */
  readonly metadata?: JsonObject | undefined;
}

/** The handler returned. */
export interface SucceededWorkResult extends RecordedByAttempt {
  readonly status: "succeeded";
  /** What it returned; absent when it returned nothing. */
  readonly outcome?: WorkOutcome | undefined;
}

/** The attempt failed. */
export interface FailedWorkResult extends RecordedByAttempt {
  readonly status: "failed";
  readonly error: unknown;
  /** True: the job is cancelled instead of retried. Absent counts as false. */
  readonly cancel?: boolean | undefined;
}

/** The attempt failed after its job was cancelled from outside; from a hook: cancel the job with this error. */
export interface CancelledWorkResult extends RecordedByAttempt {
  readonly status: "cancelled";
  readonly error: unknown;
}

/** Any result, told apart by `status`. */
export type WorkAttemptResult = CancelledWorkResult | FailedWorkResult | SucceededWorkResult;
