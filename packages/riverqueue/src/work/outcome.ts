/**
 * What a handler may return besides nothing. An outcome is known by what these functions build, not by its shape: a row
 * of a database that happens to have a column `type` is no outcome. The mark is shared by every copy of this package in
 * a process; an outcome that crosses to another thread is built anew there by the same functions.
 */
import { copyJsonValue } from "../json/copy-json-value.ts";
import type { JsonValue } from "../json/json-value.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import { type DurationInput, toDuration } from "../options/duration-input.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { OUTPUT_CHECK } from "./staged-metadata.ts";

declare const outcome: unique symbol;

/** The job is done. */
export interface CompleteOutcome {
  readonly type: "complete";
  /** Stored under the metadata key `output`. */
  readonly output?: JsonValue;
  readonly [outcome]: true;
}

/** The job runs again after `duration`, and the attempt does not count. */
export interface SnoozeOutcome {
  readonly type: "snooze";
  readonly duration: Temporal.Duration;
  readonly [outcome]: true;
}

/** The job is finalized as `discarded`, whatever attempts are left. */
export interface DiscardOutcome {
  readonly type: "discard";
  readonly reason?: string;
  readonly [outcome]: true;
}

/** The job is finalized as `cancelled`. */
export interface CancelOutcome {
  readonly type: "cancel";
  readonly reason?: string;
  readonly [outcome]: true;
}

/** Any outcome, told apart by `type`. */
export type WorkOutcome = CancelOutcome | CompleteOutcome | DiscardOutcome | SnoozeOutcome;

/** Options of {@link complete}. */
export interface CompleteOptions {
  /** JSON of at most 32 MiB; takes the place of what `recordOutput` recorded. */
  readonly output?: JsonValue | undefined;
}

/** Options of {@link discard} and {@link cancel}. */
export interface ReasonOptions {
  /** Recorded as the error of the attempt, cut to 32,768 UTF-16 code units. */
  readonly reason?: string | undefined;
}

/**
 * Completes the job, as returning nothing does.
 *
 * @throws ValidationError for unknown options; JsonValueError when the output is no JSON or larger than 32 MiB.
 */
export function complete(options: CompleteOptions = {}): CompleteOutcome {
  const { output } = readOptions(options, "complete", "output");
  if (output === undefined) return built({ type: "complete" });
  return built({ type: "complete", output: copyJsonValue(output, OUTPUT_CHECK) });
}

/**
 * Runs the job again after `duration`, which may be zero. The attempt is given back and no error is recorded.
 *
 * @throws ValidationError unless the duration is of days or smaller units, not negative and at most 2^63−1 nanoseconds
 *   (about 292 years).
 */
export function snooze(duration: DurationInput): SnoozeOutcome {
  const length = toDuration(duration);
  if (length === null) {
    throw new ValidationError("snooze duration must be a duration of days or smaller units, such as { seconds: 5 }");
  }
  if (length.sign < 0) throw new ValidationError("snooze duration must not be negative");
  if (length.total({ unit: "milliseconds" }) > LONGEST_SNOOZE_MS) {
    throw new ValidationError("snooze duration must be at most 2^63-1 nanoseconds, about 292 years");
  }
  return built({ type: "snooze", duration: length });
}

/** 2^63−1 nanoseconds, the longest duration that River clients of every language hold. */
const LONGEST_SNOOZE_MS = 9_223_372_036_854;

/**
 * Gives the job up: no retry, whatever attempts are left.
 *
 * @throws ValidationError for unknown options or a reason that is no string.
 */
export function discard(options: ReasonOptions = {}): DiscardOutcome {
  return built({ type: "discard", ...readReason(options, "discard") });
}

/**
 * Cancels the job; the error `JobCancelError: <reason>` is recorded.
 *
 * @throws ValidationError for unknown options or a reason that is no string.
 */
export function cancel(options: ReasonOptions = {}): CancelOutcome {
  return built({ type: "cancel", ...readReason(options, "cancel") });
}

/** Whether `value` was built by one of the functions above. Never throws. */
export function isWorkOutcome(value: unknown): value is WorkOutcome {
  if (typeof value !== "object" || value === null) return false;
  try {
    return Object.getOwnPropertyDescriptor(value, MARK) !== undefined;
  } catch {
    // A revoked proxy cannot be asked.
    return false;
  }
}

const MARK: symbol = Symbol.for("riverqueue.outcome");

/** The mark is not enumerable, so that outcomes print and compare as the plain objects they look like. */
function built<Fields extends { readonly type: WorkOutcome["type"] }>(
  fields: Fields,
): Fields & { readonly [outcome]: true } {
  Object.defineProperty(fields, MARK, { value: true });
  return Object.freeze(fields) as Fields & { readonly [outcome]: true };
}

function readReason(options: unknown, name: string): { reason?: string } {
  const { reason } = readOptions(options, name, "reason");
  if (reason === undefined || reason === "") return {};
  if (typeof reason !== "string") throw new ValidationError(`${name} options.reason must be a string`);
  return { reason };
}

function readOptions(options: unknown, name: string, known: string): Record<string, unknown> {
  const problems = new OptionProblems();
  const values = problems.object(options, `${name} options`, [known]);
  problems.throwValidation();
  return values;
}
