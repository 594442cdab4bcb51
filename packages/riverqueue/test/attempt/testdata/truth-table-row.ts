/** What a row of the truth tables says, and results that several files of tests look at. */
import type { JobState } from "../../../src/model/job-state.ts";
import type { AbortCause, AttemptAbort } from "../../../src/runtime/attempt-abort.ts";
import type { AttemptResult } from "../../../src/runtime/attempt-verdict.ts";
import type { WorkOutcome } from "../../../src/work/outcome.ts";

/** The code returned. */
export const returned = (outcome?: WorkOutcome): AttemptResult => ({ type: "returned", outcome });
/** The code threw. */
export const threw = (error: unknown): AttemptResult => ({ type: "threw", error, cancel: null });
/** The code failed of its own accord. */
export const genuine = (): AttemptResult => threw(new Error("boom"));
/** What the result is looked at with; by default attempt 3 of 25, retried in a minute. */
export interface Circumstances {
  readonly causes?: readonly AbortCause[];
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly retryIn?: number;
  readonly handlerCancels?: boolean;
  readonly metadata?: string;
}

/** What fails an attempt other than an error of its handler. */
export type FailingSetting = "damaged row" | "no outcome" | "refused arguments" | "throwing hook" | "unknown kind";
/** Where an attempt gets, if not to its handler's own end. */
export type AttemptSetting = FailingSetting | "waiting for a thread";

/** One row of a table. */
export interface TruthTableRow extends Circumstances {
  readonly title: string;
  /** How a real attempt comes to this result; without it the handler does. */
  readonly setting?: AttemptSetting | undefined;
  readonly result: (aborts: AttemptAbort) => AttemptResult;
  readonly state: JobState;
  /** Attempt number afterwards; 3 is that of the claim. */
  readonly after?: number;
  /** Recorded text; null when none is recorded. */
  readonly error: string | null;
  readonly event: string;
  readonly reported?: boolean;
  /** Seconds from now; null when the time is left as it is. */
  readonly scheduledIn?: number | null;
  readonly trace?: boolean;
}

