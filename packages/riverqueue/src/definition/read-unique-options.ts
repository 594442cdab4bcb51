/** Checks unique options. */
import type { JobState } from "../model/job-state.ts";
import { isJobState } from "../model/job-state.ts";
import { toDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { splitArgsPath, unusableSegment } from "./args-path.ts";
import { compareBytes } from "./byte-order.ts";
import { durationNanoseconds } from "./duration-nanoseconds.ts";
import type { NormalizedUniqueOptions } from "./unique-options.ts";

const KNOWN = ["byArgs", "byPeriod", "byQueue", "byState", "excludeKind"] as const;
const REQUIRED_STATES: readonly JobState[] = ["available", "pending", "running", "scheduled"];
const SECOND = 1_000_000_000n;

/** Checked unique options, or null when they ask for nothing: such a job is not unique. */
export function readUniqueOptions(
  problems: OptionProblems,
  value: unknown,
  path: string,
): NormalizedUniqueOptions | null {
  const options = problems.object(value, path, KNOWN);
  const unique: NormalizedUniqueOptions = {
    byArgs: readByArgs(problems, options.byArgs, `${path}.byArgs`),
    byPeriod: readByPeriod(problems, options.byPeriod, `${path}.byPeriod`),
    byQueue: readFlag(problems, options.byQueue, `${path}.byQueue`),
    byState: readByState(problems, options.byState, `${path}.byState`),
    excludeKind: readFlag(problems, options.excludeKind, `${path}.excludeKind`),
  };
  const byState = options.byState !== undefined;
  if (unique.byArgs || unique.byPeriod || unique.byQueue || byState) return Object.freeze(unique);
  if (unique.excludeKind) problems.add(`${path}.excludeKind`, "needs byArgs, byPeriod, byQueue or byState beside it");
  return null;
}

function readFlag(problems: OptionProblems, value: unknown, path: string): boolean {
  if (value !== undefined && typeof value !== "boolean") problems.add(path, "must be true or false");
  return value === true;
}

function readByArgs(problems: OptionProblems, value: unknown, path: string): boolean | readonly string[] {
  if (value === undefined || typeof value === "boolean") return value === true;
  if (!Array.isArray(value) || value.length === 0) {
    problems.add(path, "must be true, or a list of at least one path");
    return false;
  }
  const paths: unknown[] = Array.from(value);
  if (!paths.every(isPath)) {
    problems.add(path, "must be true, or a list of paths, each a string");
    return false;
  }
  for (const each of paths) {
    const segment = unusableSegment(each);
    if (segment !== null) problems.add(`${path}:`, `path ${quote(each)}: segment ${quote(segment)} cannot be used`);
  }
  return Object.freeze(paths.toSorted(comparePaths));
}

/** Other clients have keys where we have backslashes, so these do not count. */
function comparePaths(a: string, b: string): number {
  const [keysOfA, keysOfB] = [a, b].map((path) => splitArgsPath(path).join(".")) as [string, string];
  return compareBytes(keysOfA, keysOfB) || compareBytes(a, b);
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

function quote(text: string): string {
  return `"${text}"`;
}

function readByPeriod(problems: OptionProblems, value: unknown, path: string): Temporal.Duration | null {
  if (value === undefined) return null;
  const duration = toDuration(value);
  if (duration === null) {
    problems.add(path, "must be a duration of days or smaller units, such as { minutes: 15 }");
    return null;
  }
  const period = durationNanoseconds(duration);
  if (period !== 0n && period < SECOND) problems.add(path, "should not be less than 1 second");
  return period === 0n ? null : duration;
}

function readByState(problems: OptionProblems, value: unknown, path: string): readonly JobState[] | null {
  if (value === undefined) return null;
  if (!Array.isArray(value)) {
    problems.add(path, "must be a list of job states");
    return null;
  }
  const states: unknown[] = Array.from(value);
  const invalid = states.filter((state) => !isJobState(state));
  for (const state of invalid) problems.add(path, `contains invalid state "${String(state)}"`);
  const missing = REQUIRED_STATES.filter((state) => !states.includes(state));
  if (states.length > 0 && invalid.length === 0 && missing.length > 0) {
    problems.add(path, `must contain all required states, missing: ${missing.join(", ")}`);
  }
  return states.length === 0 ? null : Object.freeze(states as JobState[]);
}
