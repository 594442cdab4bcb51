/**
 * From the end of an attempt to what is written: state, attempt number, time of the next run, error entry. Pure policy;
 * who runs the attempt and who writes the settlement are elsewhere.
 */
import { durationNanoseconds } from "../definition/duration-nanoseconds.ts";
import { isStorableEpoch, STORABLE_TIME_EXPECTATION } from "../definition/storable-time.ts";
import type { Settlement } from "../driver/settle-jobs.ts";
import { escapeLikeGo } from "../json/encode-stored-json.ts";
import type { JsonValue } from "../json/json-value.ts";
import { isExactJsonNumber } from "../json/exact-json-number.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import { MAX_ATTEMPTS_DEFAULT } from "../model/defaults.ts";
import { canonicalError, type ErrorStacks } from "../model/errors/recorded-error.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { JobEventKind } from "../model/river-event.ts";
import type { StagedMetadata } from "../work/staged-metadata.ts";
import type { AttemptVerdict } from "./attempt-verdict.ts";

/** Event of an attempt that still owned its row. */
export type AttemptEventKind = Extract<
  JobEventKind,
  "job_cancelled" | "job_completed" | "job_failed" | "job_interrupted" | "job_snoozed"
>;

/** Everything the classification depends on. */
export interface OutcomeInput {
  /** The job as claimed. */
  readonly record: Pick<JobRecord, "attempt" | "id" | "maxAttempts" | "metadata">;
  readonly clientId: string;
  /** Start of the attempt, the time of its error. */
  readonly startedAt: Temporal.Instant;
  readonly verdict: AttemptVerdict;
  /** Whether the error handler asked to cancel the job. */
  readonly handlerCancels: boolean;
  /** When the job runs again; asked only for a job that is retried. */
  readonly retryTime: () => Temporal.Instant;
  readonly now: Temporal.Instant;
  /** What the attempt recorded; null when nothing. */
  readonly staged: StagedMetadata | null;
  /** A retry or snooze due within this time is stored `available`, so that it does not depend on the leader. */
  readonly nearFutureMs: number;
  readonly errorStacks: ErrorStacks;
  /** Whether the row of a completed job is deleted. */
  readonly deleteOnComplete: boolean;
}

/** See the file header. */
export interface ClassifiedOutcome {
  readonly settlement: Settlement;
  readonly eventKind: AttemptEventKind;
  /** What the event carries; undefined when the attempt did not fail. */
  readonly error: unknown;
}

/** Metadata key that counts the snoozes of a job. */
const SNOOZES_KEY = "snoozes";

/** Classifies the end of an attempt. */
export function classifyOutcome(input: OutcomeInput): ClassifiedOutcome {
  const { verdict } = input;
  switch (verdict.type) {
    case "completed":
      return classified(input, "job_completed", undefined, {
        state: "completed",
        finalizedAt: input.now,
        deleteRow: input.deleteOnComplete,
      });
    case "snoozed":
      return snoozed(input, verdict.duration);
    case "interrupted":
      return classified(input, "job_interrupted", undefined, {
        state: "available",
        newAttempt: attemptGivenBack(input),
        scheduledAt: input.now,
      });
    case "discarded":
      return discarded(input, verdict.reason);
    case "cancelled":
      return cancelled(input, verdict.error, verdict.recorded);
    default:
      return failed(input, verdict.error, verdict.cancel);
  }
}

function failed(input: OutcomeInput, error: unknown, cancel: boolean): ClassifiedOutcome {
  if (cancel || input.handlerCancels) return cancelled(input, error, error);
  const entry = errorEntry(input, error);
  if (input.record.attempt >= maxAttempts(input)) {
    return classified(input, "job_failed", error, { state: "discarded", finalizedAt: input.now, error: entry });
  }
  const scheduledAt = input.retryTime();
  const state = isNear(input, scheduledAt) ? "available" : "retryable";
  return classified(input, "job_failed", error, { state, scheduledAt, error: entry });
}

function cancelled(input: OutcomeInput, error: unknown, recorded: unknown): ClassifiedOutcome {
  return classified(input, "job_cancelled", error, {
    state: "cancelled",
    finalizedAt: input.now,
    error: errorEntry(input, recorded),
  });
}

/** By the handler's own outcome: the reason, if there is one, is the error. */
function discarded(input: OutcomeInput, reason: string | undefined): ClassifiedOutcome {
  const error = reason === undefined ? undefined : new Error(reason);
  return classified(input, "job_failed", error, {
    state: "discarded",
    finalizedAt: input.now,
    error: reason === undefined ? null : errorEntry(input, reason),
  });
}

function snoozed(input: OutcomeInput, duration: Temporal.Duration): ClassifiedOutcome {
  const dueAt = input.now.epochNanoseconds + durationNanoseconds(duration);
  if (!isStorableEpoch(dueAt)) {
    return failed(input, new ValidationError(`snooze leads to a time that ${STORABLE_TIME_EXPECTATION}`), false);
  }
  const scheduledAt = Temporal.Instant.fromEpochNanoseconds(dueAt);
  const extra = { [SNOOZES_KEY]: snoozeCount(input.record.metadata) + 1 };
  const { settlement, ...rest } = classified(input, "job_snoozed", undefined, {
    state: isNear(input, scheduledAt) ? "available" : "scheduled",
    newAttempt: attemptGivenBack(input),
    scheduledAt,
  });
  const metadata = input.staged === null ? `{"${SNOOZES_KEY}":${extra[SNOOZES_KEY]}}` : input.staged.text(extra);
  return { ...rest, settlement: { ...settlement, metadata } };
}

function attemptGivenBack(input: OutcomeInput): number {
  return Math.max(input.record.attempt - 1, 0);
}

function isNear(input: OutcomeInput, at: Temporal.Instant): boolean {
  return Number(at.epochNanoseconds - input.now.epochNanoseconds) <= input.nearFutureMs * 1e6;
}

type SettlementChanges = Pick<Settlement, "state"> & Partial<Settlement>;

function classified(
  input: OutcomeInput,
  eventKind: AttemptEventKind,
  error: unknown,
  changes: SettlementChanges,
): ClassifiedOutcome {
  return {
    eventKind,
    error,
    settlement: {
      id: input.record.id,
      attempt: input.record.attempt,
      clientId: input.clientId,
      state: changes.state,
      newAttempt: changes.newAttempt ?? null,
      finalizedAt: changes.finalizedAt ?? null,
      scheduledAt: changes.scheduledAt ?? null,
      error: changes.error ?? null,
      metadata: input.staged === null ? null : input.staged.text(),
      deleteRow: changes.deleteRow ?? false,
    },
  };
}

/** The text of an error entry, as every River client writes it. */
function errorEntry(input: OutcomeInput, thrown: unknown): string {
  const { error, trace } = canonicalError(thrown, input.errorStacks);
  const at = input.startedAt.toString();
  return `{"at":"${at}","attempt":${input.record.attempt},"error":${jsonText(error)},"trace":${jsonText(trace)}}`;
}

function jsonText(text: string): string {
  return escapeLikeGo(JSON.stringify(text));
}

/** The limit of the row; the default one when its column is unreadable, so that the job can still be retried. */
function maxAttempts({ record }: OutcomeInput): number {
  try {
    return record.maxAttempts;
  } catch {
    return MAX_ATTEMPTS_DEFAULT;
  }
}

/** What the row counts so far; values of other types are read as River for Go reads them. */
function snoozeCount(metadata: string): number {
  let stored: JsonValue | undefined;
  try {
    stored = parseJsonObject(metadata)[SNOOZES_KEY];
  } catch {
    // A row with unreadable metadata has no count either.
    return 0;
  }
  if (stored === true) return 1;
  const count = isExactJsonNumber(stored)
    ? Number(stored.rawJSON)
    : typeof stored === "string"
      ? digits(stored)
      : stored;
  return typeof count === "number" && Math.abs(count) < Number.MAX_SAFE_INTEGER ? Math.trunc(count) : 0;
}

function digits(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}
