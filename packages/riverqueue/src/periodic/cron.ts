/** Cron schedules for periodic jobs. Expressions mean the same and fire at the same instants in every River client. */
import type { PeriodicSchedule } from "../api/periodic-jobs.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { type CronMeaning, parseCronExpression } from "./cron-expression.ts";
import { findOccurrence } from "./next-occurrence.ts";
import { INSTANT_LIMIT_SECONDS, type ZoneOffsets, zoneNamed } from "./zone-offsets.ts";
import { findSkipped, isRepeated, lostDays } from "./zone-transitions.ts";

/** How a cron schedule treats transitions of its time zone, and which zone that is. */
export interface CronOptions {
  /**
   * IANA name, `UTC` or `Local`. A `TZ=` or `CRON_TZ=` prefix of the expression wins; without both it is the zone of this
   * process when the schedule is made.
   */
  readonly timeZone?: string | undefined;
  /**
   * An occurrence whose wall time a transition skips: `skip` (default) leaves it out, `after` fires once at the first
   * instant after the gap.
   *
   * @addition
   */
  readonly onGap?: "after" | "skip" | undefined;
  /**
   * An occurrence whose wall time repeats: `both` (default) fires each time, `once` only the first time.
   *
   * @addition
   */
  readonly onRepeat?: "both" | "once" | undefined;
}

/** A schedule made by {@link cron}. */
export interface CronSchedule extends PeriodicSchedule {
  /** As given. */
  readonly expression: string;
  /** Name of the zone in which the fields are read. */
  readonly timeZone: string;
  /**
   * The first occurrence after `after`, strictly later, on a whole second; null when there is none within about five
   * years.
   *
   * @throws ConfigurationError when the search meets a calendar day that the zone skipped entirely; ValidationError when
   *   `after` is no `Temporal.Instant`.
   */
  next(after: Temporal.Instant): Temporal.Instant | null;
}

interface CronRules {
  readonly meaning: CronMeaning;
  readonly zone: ZoneOffsets;
  readonly onGap: "after" | "skip";
  readonly onRepeat: "both" | "once";
}

const rulesOf = new WeakMap<object, CronRules>();

/**
 * Makes a schedule of a cron expression: minute, hour, day of month, month, day of week (0 is Sunday), or a descriptor
 * such as `@daily` or `@every 1h30m`, optionally after `TZ=NAME `. When both day fields are restricted, a day that
 * matches either fires.
 *
 * @throws ConfigurationError for an expression, zone or option that is not understood.
 */
export function cron(expression: string, options: CronOptions = {}): CronSchedule {
  if (typeof expression !== "string") throw new ConfigurationError("expression must be a string");
  const { timeZone, onGap, onRepeat } = readOptions(options);
  const { meaning, zone: prefixZone } = parseCronExpression(expression);
  const optionZone = zoneNamed(timeZone ?? "Local", "timeZone");
  const rules = { meaning, zone: prefixZone ?? optionZone, onGap, onRepeat };
  const schedule = Object.freeze({
    expression,
    timeZone: rules.zone.id,
    next: (after: Temporal.Instant) => nextInstant(rules, after),
  });
  rulesOf.set(schedule, rules);
  return schedule;
}

/**
 * What the author of a cron schedule should know before relying on it: that it never fires, or loses whole days to
 * transitions. Empty for other schedules. Says nothing about days that the zone's rules have not announced yet.
 *
 * @param now - from when on occurrences matter
 */
export function cronWarnings(schedule: PeriodicSchedule, now: Temporal.Instant): string[] {
  const rules = rulesOf.get(schedule);
  if (rules === undefined || rules.meaning.kind === "every") return [];
  const start = Math.floor(now.epochMilliseconds / 1000);
  try {
    const next = (after: number): number | null => nextSecond(rules, after);
    if (next(start) === null) return ["never fires"];
    const days = lostDays(rules.meaning.fields, rules.zone, start, next);
    return days.length > 0 ? [`does not fire on ${days.join(", ")}, because of transitions of its time zone`] : [];
  } catch (error) {
    if (error instanceof ConfigurationError) return [error.message];
    throw error;
  }
}

function readOptions(options: unknown): {
  readonly timeZone: string | undefined;
  readonly onGap: "after" | "skip";
  readonly onRepeat: "both" | "once";
} {
  const problems = new OptionProblems();
  const {
    timeZone,
    onGap = "skip",
    onRepeat = "both",
  } = problems.object(options, "", ["timeZone", "onGap", "onRepeat"]);
  if (timeZone !== undefined && typeof timeZone !== "string") problems.add("timeZone", "must be a string");
  if (onGap !== "after" && onGap !== "skip") problems.add("onGap", 'must be "skip" or "after"');
  if (onRepeat !== "both" && onRepeat !== "once") problems.add("onRepeat", 'must be "both" or "once"');
  problems.throwConfiguration();
  return {
    timeZone: timeZone as string | undefined,
    onGap: onGap as "after" | "skip",
    onRepeat: onRepeat as "both" | "once",
  };
}

function nextInstant(rules: CronRules, after: Temporal.Instant): Temporal.Instant | null {
  if (!(after instanceof Temporal.Instant)) throw new ValidationError("after must be a Temporal.Instant");
  const next = nextSecond(rules, Math.floor(after.epochMilliseconds / 1000));
  if (next === null || next > INSTANT_LIMIT_SECONDS) return null;
  return Temporal.Instant.fromEpochMilliseconds(next * 1000);
}

/** @param after - whole seconds; a fraction dropped before cannot hide an occurrence, since all are on whole seconds */
function nextSecond({ meaning, zone, onGap, onRepeat }: CronRules, after: number): number | null {
  if (meaning.kind === "every") return after + meaning.seconds;
  let next = findOccurrence(meaning.fields, zone, after + 1);
  if (onRepeat === "once") {
    while (next !== null && isRepeated(zone, next)) next = findOccurrence(meaning.fields, zone, next + 1);
  }
  return onGap === "after" ? (findSkipped(meaning.fields, zone, after, next) ?? next) : next;
}
