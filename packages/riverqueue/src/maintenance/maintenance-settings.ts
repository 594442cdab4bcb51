/** Checks maintenance options and fills in their defaults. Resolved times are milliseconds; null means without limit. */
import { durationToMs, readDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import type { ReindexerSchedule } from "./maintenance-options.ts";

/** Everything the leader's services are told. */
export interface MaintenanceSettings {
  readonly cancelledJobRetentionMs: number | null;
  readonly completedJobRetentionMs: number | null;
  readonly discardedJobRetentionMs: number | null;
  readonly electionIntervalMs: number;
  readonly jobCleanerIntervalMs: number;
  readonly jobCleanerTimeoutMs: number | null;
  readonly notificationCleanerIntervalMs: number;
  readonly notificationRetentionMs: number;
  readonly queueCleanerIntervalMs: number;
  readonly queueRetentionMs: number;
  /** Null: the default names, as far as they exist. */
  readonly reindexerIndexNames: readonly string[] | null;
  readonly reindexerSchedule: ReindexerSchedule;
  readonly reindexerTimeoutMs: number | null;
  readonly rescueAfterMs: number;
  readonly rescuerIntervalMs: number;
  readonly schedulerIntervalMs: number;
}

/** What of the client's other options maintenance depends on. */
export interface MaintenanceDependencies {
  /** The client's resolved job timeout; null when disabled. */
  readonly jobTimeoutMs: number | null;
  /** Whether the application set a job timeout. */
  readonly jobTimeoutGiven: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Keeps every "now minus retention" within the years that databases store. */
const LONGEST_MS = 36_500 * DAY;

/** The scheduler interval unless configured, and the near-future window of a client that never leads; in milliseconds. */
export const DEFAULT_SCHEDULER_INTERVAL_MS: number = 5 * SECOND;

/** Defaults in milliseconds. */
const DEFAULTS = {
  cancelledJobRetention: DAY,
  completedJobRetention: DAY,
  discardedJobRetention: 7 * DAY,
  electionInterval: 5 * SECOND,
  jobCleanerInterval: 30 * SECOND,
  jobCleanerTimeout: 30 * SECOND,
  notificationCleanerInterval: MINUTE,
  notificationRetention: 5 * MINUTE,
  queueCleanerInterval: HOUR,
  queueRetention: DAY,
  reindexerTimeout: MINUTE,
  rescuerInterval: 30 * SECOND,
  schedulerInterval: DEFAULT_SCHEDULER_INTERVAL_MS,
} as const;

const KNOWN = [...Object.keys(DEFAULTS), "reindexerIndexNames", "reindexerSchedule", "rescueAfter"];

/**
 * Resolves the client option `maintenance`.
 *
 * @param problems - receives everything that is wrong, below the path `maintenance`; the result then means nothing
 */
export function resolveMaintenance(
  value: unknown,
  problems: OptionProblems,
  context: MaintenanceDependencies,
): MaintenanceSettings {
  const given = value === undefined ? {} : problems.object(value, "maintenance", KNOWN);
  const duration = (name: keyof typeof DEFAULTS): number =>
    readDuration(problems, given[name], at(name), DEFAULTS[name], { maxMs: LONGEST_MS });
  const interval = (name: keyof typeof DEFAULTS): number =>
    readDuration(problems, given[name], at(name), DEFAULTS[name], { minMs: 1, maxMs: LONGEST_MS });
  const limit = (name: keyof typeof DEFAULTS): number | null => (given[name] === null ? null : interval(name));
  const retention = (name: keyof typeof DEFAULTS): number | null => (given[name] === null ? null : duration(name));
  return Object.freeze({
    cancelledJobRetentionMs: retention("cancelledJobRetention"),
    completedJobRetentionMs: retention("completedJobRetention"),
    discardedJobRetentionMs: retention("discardedJobRetention"),
    electionIntervalMs: interval("electionInterval"),
    jobCleanerIntervalMs: interval("jobCleanerInterval"),
    jobCleanerTimeoutMs: limit("jobCleanerTimeout"),
    notificationCleanerIntervalMs: interval("notificationCleanerInterval"),
    notificationRetentionMs: duration("notificationRetention"),
    queueCleanerIntervalMs: interval("queueCleanerInterval"),
    queueRetentionMs: duration("queueRetention"),
    reindexerIndexNames: readIndexNames(problems, given.reindexerIndexNames, at("reindexerIndexNames")),
    reindexerSchedule: readSchedule(problems, given.reindexerSchedule, at("reindexerSchedule")),
    reindexerTimeoutMs: limit("reindexerTimeout"),
    rescueAfterMs: readRescueAfter(problems, given.rescueAfter, at("rescueAfter"), context),
    rescuerIntervalMs: interval("rescuerInterval"),
    schedulerIntervalMs: interval("schedulerInterval"),
  });
}

function at(name: string): string {
  return `maintenance.${name}`;
}

function readRescueAfter(
  problems: OptionProblems,
  value: unknown,
  path: string,
  { jobTimeoutMs, jobTimeoutGiven }: MaintenanceDependencies,
): number {
  const fallback = HOUR + (jobTimeoutGiven ? (jobTimeoutMs ?? 0) : 0);
  const rescueAfterMs = readDuration(problems, value, path, fallback, { maxMs: LONGEST_MS });
  const isGiven = value !== undefined && durationToMs(value) !== null;
  if (isGiven && jobTimeoutMs !== null && rescueAfterMs < jobTimeoutMs) {
    problems.add(path, `must not be shorter than jobTimeout (${jobTimeoutMs} ms)`);
  }
  return rescueAfterMs;
}

function readIndexNames(problems: OptionProblems, value: unknown, path: string): readonly string[] | null {
  if (value === undefined) return null;
  if (!Array.isArray(value)) {
    problems.add(path, "must be a list of index names");
    return null;
  }
  const names: unknown[] = Array.from(value);
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string" || name === "") problems.add(`${path}[${index}]`, "must be the name of an index");
  }
  return Object.freeze([...new Set(names)] as string[]);
}

function readSchedule(problems: OptionProblems, value: unknown, path: string): ReindexerSchedule {
  if (value === undefined) return nextMidnight;
  if (typeof value !== "function") problems.add(path, "must be a function of the previous time");
  return value as ReindexerSchedule;
}

/** 00:00 UTC of the next day. */
function nextMidnight(after: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds((Math.floor(after.epochMilliseconds / DAY) + 1) * DAY);
}
