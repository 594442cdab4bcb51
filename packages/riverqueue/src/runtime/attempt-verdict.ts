/** What the result of an attempt means in the light of the aborts it had: pure, and the place of all precedence rules. */
import { isRuntimeFault } from "../model/errors/recorded-error.ts";
import type { WorkOutcome } from "../work/outcome.ts";
import { type AttemptAborts, isStoppedBy } from "./attempt-abort.ts";

/** How the code of an attempt ended, middleware and hooks included. */
export type AttemptResult =
  | { readonly type: "returned"; readonly outcome: WorkOutcome | undefined }
  | {
      readonly type: "threw";
      readonly error: unknown;
      /** Whether a hook asked to cancel the job: `reported` calls the error handler all the same. */
      readonly cancel: "reported" | "unreported" | null;
    };

/** What is to become of the job, before retry time and attempts left are looked at. */
export type AttemptVerdict =
  | { readonly type: "completed" }
  | { readonly type: "snoozed"; readonly duration: Temporal.Duration }
  | { readonly type: "discarded"; readonly reason: string | undefined }
  | { readonly type: "interrupted" }
  | {
      readonly type: "cancelled";
      /** What events carry. */
      readonly error: unknown;
      /** What the attempt records. */
      readonly recorded: unknown;
      readonly reported: boolean;
    }
  | {
      readonly type: "failed";
      readonly error: unknown;
      /** Cancel the job instead of retrying it. */
      readonly cancel: boolean;
      readonly reported: true;
    };

/** Text of the error that every River client records for a job that was cancelled while it ran. */
const CANCELLED_REMOTELY = "JobCancelError: job cancelled remotely";

/**
 * The verdict. Success stands whatever abort there was. Otherwise a cancellation from outside decides, also when it came
 * second; then the first abort, if the attempt was stopped by it (see `isStoppedBy`): a timeout is the error, a shutdown
 * gives the attempt back. What the handler did of its own accord counts as without an abort.
 */
export function attemptVerdict(result: AttemptResult, aborts: AttemptAborts): AttemptVerdict {
  const success = result.type === "returned" && (result.outcome === undefined || result.outcome.type === "complete");
  if (aborts.cancelled !== null && !success) return cancelledRemotely(result, aborts.cancelled, aborts.reason);
  if (result.type === "returned") return verdictOf(result.outcome);
  if (result.cancel === "unreported") return cancelledBy(result.error);
  if (aborts.first !== null && isStoppedBy(result.error, aborts.reason)) {
    if (aborts.first === "shutdown") return { type: "interrupted" };
    return { type: "failed", error: aborts.reason, cancel: result.cancel !== null, reported: true };
  }
  return { type: "failed", error: result.error, cancel: result.cancel !== null, reported: true };
}

/** A runtime fault keeps its own text and trace and reaches the error handler; anything else records the shared text. */
function cancelledRemotely(result: AttemptResult, cancelled: unknown, reason: unknown): AttemptVerdict {
  if (result.type === "returned" || isStoppedBy(result.error, reason)) {
    return { type: "cancelled", error: cancelled, recorded: CANCELLED_REMOTELY, reported: false };
  }
  const fault = isRuntimeFault(result.error);
  return {
    type: "cancelled",
    error: result.error,
    recorded: fault ? result.error : CANCELLED_REMOTELY,
    reported: fault,
  };
}

function cancelledBy(error: unknown): AttemptVerdict {
  return { type: "cancelled", error, recorded: error, reported: false };
}

function verdictOf(outcome: WorkOutcome | undefined): AttemptVerdict {
  switch (outcome?.type) {
    case "snooze":
      return { type: "snoozed", duration: outcome.duration };
    case "discard":
      return { type: "discarded", reason: outcome.reason };
    case "cancel": {
      const text = `JobCancelError: ${outcome.reason ?? "<nil>"}`;
      return { type: "cancelled", error: new Error(text), recorded: text, reported: false };
    }
    default:
      return { type: "completed" };
  }
}
