/**
 * The truth tables of attempts: abort causes and what the code did, against what is stored and reported. Failures before
 * and around the handler are in `failure-tables.ts`.
 */
import { JobTimeoutError } from "../../../src/model/errors/job-timeout-error.ts";
import { LifecycleError } from "../../../src/model/errors/lifecycle-error.ts";
import { type AbortCause, AttemptAbort, terminationError } from "../../../src/runtime/attempt-abort.ts";
import { type AttemptResult, attemptVerdict } from "../../../src/runtime/attempt-verdict.ts";
import { type ClassifiedOutcome, classifyOutcome } from "../../../src/runtime/classify-outcome.ts";
import { cancel, complete, discard, snooze } from "../../../src/work/outcome.ts";
import { claimed, CLIENT_ID } from "./attempt-harness.ts";
import { type Circumstances, genuine, returned, threw, type TruthTableRow } from "./truth-table-row.ts";

/** When the attempt ended. */
export const NOW: Temporal.Instant = Temporal.Instant.from("2026-01-02T03:04:10Z");
/** When it began. */
export const STARTED: Temporal.Instant = Temporal.Instant.from("2026-01-02T03:04:05.678Z");
const SENTINEL = "JobCancelError: job cancelled remotely";
const TIMEOUT_TEXT = "job 7 exceeded its timeout of PT1M";

/** Aborts in the order they came. */
function abortsOf(...causes: readonly AbortCause[]): AttemptAbort {
  const aborts = new AttemptAbort();
  for (const cause of causes) {
    if (cause === "cancellation") aborts.cancel(7n);
    else if (cause === "shutdown") aborts.abort("shutdown", new LifecycleError("the client is stopping"));
    else aborts.abort("timeout", new JobTimeoutError(7n, Temporal.Duration.from({ minutes: 1 })));
  }
  return aborts;
}

/** The handler stopped because of the abort. */
const stopped = (aborts: AttemptAbort): AttemptResult => threw(aborts.reason);
/** The handler was ended by force. */
const terminated = (aborts: AttemptAbort): AttemptResult => threw(terminationError(aborts, 7n));
const fault = (): AttemptResult => threw(new TypeError("undefined is not a function"));

/** With whether the error handler was called. */
export interface Classified extends ClassifiedOutcome {
  readonly reported: boolean;
}

/** Judges and classifies a result, as the end of an attempt does. */
export function classify(result: (aborts: AttemptAbort) => AttemptResult, circumstances: Circumstances = {}): Classified {
  const {
    causes = [],
    attempt = 3,
    maxAttempts = 25,
    retryIn = 60,
    handlerCancels = false,
    metadata = "{}",
  } = circumstances;
  const aborts = abortsOf(...causes);
  const verdict = attemptVerdict(result(aborts), aborts);
  const reported = "reported" in verdict && verdict.reported;
  const classified = classifyOutcome({
    record: claimed({ attempt, maxAttempts, metadata }),
    clientId: CLIENT_ID,
    startedAt: STARTED,
    verdict,
    handlerCancels: reported && handlerCancels,
    retryTime: () => NOW.add({ milliseconds: retryIn * 1_000 }),
    now: NOW,
    staged: null,
    nearFutureMs: 5_000,
    errorStacks: "faults",
    deleteOnComplete: false,
  });
  return { ...classified, reported };
}

const boom = { error: "boom", event: "job_failed", reported: true } as const;
const completed = { state: "completed", error: null, event: "job_completed" } as const;
const cancelledRemotely = { state: "cancelled", error: SENTINEL, event: "job_cancelled" } as const;
const interrupted = { state: "available", after: 2, error: null, event: "job_interrupted", scheduledIn: 0 } as const;
const retried = { state: "retryable", scheduledIn: 60 } as const;

/** All rows of all tables. */
export const TRUTH_TABLES: readonly TruthTableRow[] = [
  { title: "JS-40: A.1 row 1: success", result: () => returned(), ...completed },
  { title: "JS-40: A.1 row 1: complete()", result: () => returned(complete()), ...completed },
  {
    title: "JS-42: A.1 row 2: snooze of zero",
    result: () => returned(snooze({ seconds: 0 })),
    state: "available",
    after: 2,
    error: null,
    event: "job_snoozed",
    scheduledIn: 0,
  },
  {
    title: "JS-49: A.1 row 2: snooze of exactly the scheduler interval",
    result: () => returned(snooze({ seconds: 5 })),
    state: "available",
    after: 2,
    error: null,
    event: "job_snoozed",
    scheduledIn: 5,
  },
  {
    title: "JS-42: A.1 row 3: snooze beyond the scheduler interval",
    result: () => returned(snooze({ milliseconds: 5_001 })),
    state: "scheduled",
    after: 2,
    error: null,
    event: "job_snoozed",
    scheduledIn: 5.001,
  },
  {
    title: "JS-43: A.1 row 4: discard without a reason",
    result: () => returned(discard()),
    state: "discarded",
    error: null,
    event: "job_failed",
  },
  {
    title: "JS-43: A.1 row 4: discard with a reason",
    result: () => returned(discard({ reason: "spam" })),
    state: "discarded",
    error: "spam",
    event: "job_failed",
  },
  {
    title: "JS-44: A.1 row 5: cancel with a reason",
    result: () => returned(cancel({ reason: "gone" })),
    state: "cancelled",
    error: "JobCancelError: gone",
    event: "job_cancelled",
  },
  {
    title: "JS-44: A.1 row 5: cancel without a reason",
    result: () => returned(cancel()),
    state: "cancelled",
    error: "JobCancelError: <nil>",
    event: "job_cancelled",
  },
  {
    title: "JS-49: A.1 row 6: error with a retry at the end of the scheduler interval",
    result: genuine,
    retryIn: 5,
    state: "available",
    scheduledIn: 5,
    ...boom,
  },
  { title: "JS-41: A.1 row 7: error with a later retry", result: genuine, ...retried, ...boom },
  {
    title: "JS-49: A.1 row 7: error with a retry just beyond the scheduler interval",
    result: genuine,
    retryIn: 5.001,
    state: "retryable",
    scheduledIn: 5.001,
    ...boom,
  },
  {
    title: "JS-41: A.1 row 8: error in the last attempt",
    result: genuine,
    attempt: 3,
    maxAttempts: 3,
    state: "discarded",
    ...boom,
  },
  {
    title: "JS-41: A.1 row 8: error beyond the last attempt",
    result: genuine,
    maxAttempts: 2,
    state: "discarded",
    ...boom,
  },
  {
    title: "A.1 row 9: error, and the error handler asks to cancel",
    result: genuine,
    handlerCancels: true,
    state: "cancelled",
    ...boom,
    event: "job_cancelled",
  },
  {
    title: "A.1 row 9: error in the last attempt, and the error handler asks to cancel",
    result: genuine,
    handlerCancels: true,
    maxAttempts: 3,
    state: "cancelled",
    ...boom,
    event: "job_cancelled",
  },
  {
    title: "JS-51: A.2 row 1: cancelled from outside, success",
    causes: ["cancellation"],
    result: () => returned(),
    ...completed,
  },
  {
    title: "JS-52: A.2 row 2: cancelled from outside, snooze",
    causes: ["cancellation"],
    result: () => returned(snooze({ seconds: 1 })),
    ...cancelledRemotely,
  },
  {
    title: "JS-52: A.2 row 3: cancelled from outside, discard",
    causes: ["cancellation"],
    result: () => returned(discard({ reason: "spam" })),
    ...cancelledRemotely,
  },
  {
    title: "JS-108: A.2 row 4: cancelled from outside, cancel",
    causes: ["cancellation"],
    result: () => returned(cancel({ reason: "mine" })),
    ...cancelledRemotely,
  },
  {
    title: "JS-52: A.2 row 5: cancelled from outside, stopped by the abort",
    causes: ["cancellation"],
    result: stopped,
    ...cancelledRemotely,
  },
  {
    title: "JS-52: A.2 row 6: cancelled from outside, genuine error",
    causes: ["cancellation"],
    result: genuine,
    ...cancelledRemotely,
  },
  {
    title: "JS-52: A.2 row 6: cancelled from outside, genuine error in the last attempt",
    causes: ["cancellation"],
    maxAttempts: 3,
    result: genuine,
    ...cancelledRemotely,
  },
  {
    title: "JS-52: A.2 row 7: cancelled from outside, runtime fault",
    causes: ["cancellation"],
    result: fault,
    state: "cancelled",
    error: "undefined is not a function",
    event: "job_cancelled",
    reported: true,
    trace: true,
  },
  {
    title: "A.2 row 8: cancelled from outside, thread terminated by force",
    causes: ["cancellation"],
    result: terminated,
    ...cancelledRemotely,
  },
  { title: "JS-53: A.3 row 1: timeout, success", causes: ["timeout"], result: () => returned(), ...completed },
  {
    title: "JS-54: A.3 row 2: timeout, stopped by the abort",
    causes: ["timeout"],
    result: stopped,
    ...retried,
    error: TIMEOUT_TEXT,
    event: "job_failed",
    reported: true,
  },
  {
    title: "JS-54: A.3 row 2: timeout, stopped by the abort in the last attempt",
    causes: ["timeout"],
    maxAttempts: 3,
    result: stopped,
    state: "discarded",
    error: TIMEOUT_TEXT,
    event: "job_failed",
    reported: true,
  },
  {
    title: "JS-54: A.3 row 2: timeout, stopped by the abort, and the error handler asks to cancel",
    causes: ["timeout"],
    handlerCancels: true,
    result: stopped,
    state: "cancelled",
    error: TIMEOUT_TEXT,
    event: "job_cancelled",
    reported: true,
  },
  { title: "JS-55: A.3 row 3: timeout, other error", causes: ["timeout"], result: genuine, ...retried, ...boom },
  {
    title: "JS-55: A.3 row 3: timeout, runtime fault",
    causes: ["timeout"],
    result: fault,
    ...retried,
    error: "undefined is not a function",
    event: "job_failed",
    reported: true,
    trace: true,
  },
  {
    title: "A.3 row 4: timeout, snooze",
    causes: ["timeout"],
    result: () => returned(snooze({ minutes: 1 })),
    state: "scheduled",
    after: 2,
    error: null,
    event: "job_snoozed",
    scheduledIn: 60,
  },
  {
    title: "A.3 row 4: timeout, discard",
    causes: ["timeout"],
    result: () => returned(discard()),
    state: "discarded",
    error: null,
    event: "job_failed",
  },
  {
    title: "A.3 row 4: timeout, cancel",
    causes: ["timeout"],
    result: () => returned(cancel()),
    state: "cancelled",
    error: "JobCancelError: <nil>",
    event: "job_cancelled",
  },
  {
    title: "A.3 row 5: timeout, thread terminated by force",
    causes: ["timeout"],
    result: terminated,
    ...retried,
    error: TIMEOUT_TEXT,
    event: "job_failed",
    reported: true,
  },
  { title: "JS-57: A.4 row 1: shutdown, success", causes: ["shutdown"], result: () => returned(), ...completed },
  { title: "JS-56: A.4 row 2: shutdown, stopped by the abort", causes: ["shutdown"], result: stopped, ...interrupted },
  {
    title: "JS-56: A.4 row 2: shutdown, stopped by the abort in the only attempt",
    causes: ["shutdown"],
    attempt: 1,
    maxAttempts: 1,
    result: stopped,
    ...interrupted,
    after: 0,
  },
  {
    title: "JS-56: A.4 row 2: shutdown in an attempt numbered 0",
    causes: ["shutdown"],
    attempt: 0,
    result: stopped,
    ...interrupted,
    after: 0,
  },
  { title: "JS-58: A.4 row 3: shutdown, genuine error", causes: ["shutdown"], result: genuine, ...retried, ...boom },
  {
    title: "JS-58: A.4 row 3: shutdown, runtime fault",
    causes: ["shutdown"],
    result: fault,
    ...retried,
    error: "undefined is not a function",
    event: "job_failed",
    reported: true,
    trace: true,
  },
  {
    title: "A.4 row 4: shutdown, snooze",
    causes: ["shutdown"],
    result: () => returned(snooze({ minutes: 1 })),
    state: "scheduled",
    after: 2,
    error: null,
    event: "job_snoozed",
    scheduledIn: 60,
  },
  {
    title: "A.4 row 4: shutdown, discard",
    causes: ["shutdown"],
    result: () => returned(discard({ reason: "spam" })),
    state: "discarded",
    error: "spam",
    event: "job_failed",
  },
  {
    title: "A.4 row 4: shutdown, cancel",
    causes: ["shutdown"],
    result: () => returned(cancel({ reason: "mine" })),
    state: "cancelled",
    error: "JobCancelError: mine",
    event: "job_cancelled",
  },
  {
    title: "A.4 row 5: shutdown, thread terminated by force",
    causes: ["shutdown"],
    result: terminated,
    ...retried,
    error: "job aborted after ignoring cancellation",
    event: "job_failed",
    reported: true,
  },
  {
    title: "JS-56: A.4 row 6: shutdown, still waiting for a thread",
    setting: "waiting for a thread",
    causes: ["shutdown"],
    maxAttempts: 3,
    result: stopped,
    ...interrupted,
  },
  {
    title: "JS-108: a timeout and then a cancellation, stopped by the first",
    causes: ["timeout", "cancellation"],
    result: stopped,
    ...cancelledRemotely,
  },
  {
    title: "JS-108: a shutdown and then a cancellation, genuine error",
    causes: ["shutdown", "cancellation"],
    result: genuine,
    ...cancelledRemotely,
  },
  {
    title: "JS-108: a shutdown and then a cancellation, stopped by the first",
    causes: ["shutdown", "cancellation"],
    result: stopped,
    ...cancelledRemotely,
  },
  {
    title: "JS-108: a shutdown and then a cancellation, snooze",
    causes: ["shutdown", "cancellation"],
    result: () => returned(snooze({ seconds: 1 })),
    ...cancelledRemotely,
  },
  {
    title: "JS-108: a cancellation and then a timeout",
    causes: ["cancellation", "timeout"],
    result: stopped,
    ...cancelledRemotely,
  },
  {
    title: "JS-108: a cancellation and then a shutdown",
    causes: ["cancellation", "shutdown"],
    result: genuine,
    ...cancelledRemotely,
  },
  {
    title: "JS-54: a timeout and then a shutdown, stopped by the first",
    causes: ["timeout", "shutdown"],
    result: stopped,
    ...retried,
    error: TIMEOUT_TEXT,
    event: "job_failed",
    reported: true,
  },
  {
    title: "JS-56: a shutdown and then a timeout, stopped by the first",
    causes: ["shutdown", "timeout"],
    result: stopped,
    ...interrupted,
  },
  {
    title: "JS-51: all three causes, success",
    causes: ["timeout", "shutdown", "cancellation"],
    result: () => returned(complete()),
    ...completed,
  },
];

