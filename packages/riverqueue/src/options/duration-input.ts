/** Durations as options take them: `Temporal.Duration` or `{ seconds: 5 }`. A day is 24 hours; calendar units are refused. */
import type { OptionProblems } from "./option-problems.ts";

/** What is accepted wherever a length of time is asked for. Years, months and weeks are rejected; a day is 24 h. */
export type DurationInput = Temporal.Duration | Temporal.DurationLike;

/** Bounds for {@link readDuration}, in milliseconds; both inclusive. */
export interface DurationBounds {
  /** Default 0. */
  readonly minMs?: number;
  /** Default: none. */
  readonly maxMs?: number;
}

/**
 * Length in milliseconds, fractions kept, or null when `value` is no fixed length of time.
 */
export function durationToMs(value: unknown): number | null {
  const duration = toDuration(value);
  return duration === null ? null : duration.total({ unit: "milliseconds" });
}

/** `value` as a duration of at most days, or null. */
export function toDuration(value: unknown): Temporal.Duration | null {
  if (typeof value !== "object" || value === null) return null;
  try {
    if (!hasNumbersOnly(value)) return null;
    const duration = Temporal.Duration.from(value);
    return duration.years || duration.months || duration.weeks ? null : duration;
  } catch {
    return null;
  }
}

const FIELDS = [
  "years",
  "months",
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
  "milliseconds",
  "microseconds",
  "nanoseconds",
] as const;

/** `Temporal` would take null, text and truth values for numbers. */
function hasNumbersOnly(value: Partial<Record<(typeof FIELDS)[number], unknown>>): boolean {
  return FIELDS.every((field) => value[field] === undefined || typeof value[field] === "number");
}

/** The duration of `ms` milliseconds, to the microsecond; hours are its largest unit. */
export function durationOfMs(ms: number): Temporal.Duration {
  return Temporal.Duration.from({ microseconds: Math.round(ms * 1_000) }).round({ largestUnit: "hours" });
}

/** Reads an optional duration in milliseconds; problems go to `problems` and the fallback is used. */
export function readDuration<Fallback>(
  problems: OptionProblems,
  value: unknown,
  path: string,
  fallback: Fallback,
  { minMs = 0, maxMs = Number.MAX_SAFE_INTEGER }: DurationBounds = {},
): number | Fallback {
  if (value === undefined) return fallback;
  const ms = durationToMs(value);
  if (ms === null) problems.add(path, "must be a duration of days or smaller units, such as { seconds: 5 }");
  else if (ms < minMs) problems.add(path, minMs === 0 ? "must not be negative" : `must be at least ${minMs} ms`);
  else if (ms > maxMs) problems.add(path, `must be at most ${maxMs} ms`);
  else return ms;
  return fallback;
}
