/**
 * Durations as options take them: `{ seconds: 5 }`. Workers have no `Temporal`, so a plain object is the form that exists
 * everywhere; a `Temporal.Duration` of days or smaller units has the same members and fits as well.
 */
import { ValidationError } from "../model/validation-error.ts";
import type { OptionProblems } from "./option-problems.ts";

/** A length of time; the members add up. A day is 24 hours. */
export interface DurationInput {
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
  readonly minutes?: number | undefined;
  readonly seconds?: number | undefined;
  readonly milliseconds?: number | undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
  microseconds: 1e-3,
  nanoseconds: 1e-6,
};
/** Members of a `Temporal.Duration` that have no fixed length. */
const CALENDAR = ["years", "months", "weeks"];

/** The longest that timers can wait, almost 25 days. A longer time makes them go off at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Length in milliseconds, or null when `value` is no fixed length of time. */
export function durationToMs(value: unknown): number | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const members = value as Readonly<Record<string, unknown>>;
  if (CALENDAR.some((unit) => members[unit] !== undefined && members[unit] !== 0)) return null;
  if (Object.keys(value).some((key) => !Object.hasOwn(UNITS, key) && !CALENDAR.includes(key))) return null;
  let total = 0;
  let given = 0;
  for (const [unit, ms] of Object.entries(UNITS)) {
    const amount = members[unit];
    if (amount === undefined) continue;
    if (typeof amount !== "number" || !Number.isFinite(amount)) return null;
    total += amount * ms;
    given++;
  }
  return given === 0 ? null : total;
}

/**
 * Length in milliseconds of a delay that was passed to a call.
 *
 * @throws ValidationError for what is no fixed length of time, or negative.
 */
export function delayToMs(delay: unknown): number {
  const ms = durationToMs(delay);
  if (ms === null || ms < 0) throw new ValidationError("delay must be a duration such as { seconds: 5 }");
  return ms;
}

/** Reads an optional duration in milliseconds; problems go to `problems` and the fallback is used. */
export function readDuration<Fallback>(
  problems: OptionProblems,
  value: unknown,
  path: string,
  fallback: Fallback,
  { minMs = 0, maxMs = Number.MAX_SAFE_INTEGER }: { readonly minMs?: number; readonly maxMs?: number } = {},
): number | Fallback {
  if (value === undefined) return fallback;
  const ms = durationToMs(value);
  if (ms === null) problems.add(path, "must be a duration of days or smaller units, such as { seconds: 5 }");
  else if (ms < minMs) problems.add(path, minMs === 0 ? "must not be negative" : `must be at least ${minMs} ms`);
  else if (ms > maxMs) problems.add(path, `must be at most ${maxMs} ms`);
  else return ms;
  return fallback;
}
