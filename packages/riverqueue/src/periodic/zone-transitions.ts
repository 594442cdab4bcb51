/** What transitions of a time zone do to cron occurrences: wall times skipped, wall times repeated, days lost. */
import { type CronFields, matchesDay } from "./cron-fields.ts";
import { SEARCH_YEARS } from "./next-occurrence.ts";
import type { ZoneOffsets } from "./zone-offsets.ts";

const MINUTE = 60;
const DAY = 86_400;
/** How far ahead lost days are looked for, in seconds; transitions come round every year. */
const LOOK_AHEAD = SEARCH_YEARS * 366 * DAY;

/** The transitions after `after` and before `before` at which local time jumps forward. */
function* gaps(zone: ZoneOffsets, after: number, before: number): Generator<{ at: number; from: number; to: number }> {
  let segment = zone.segmentAt(after);
  while (segment.until < before) {
    const next = zone.segmentAt(segment.until);
    if (next.offset > segment.offset) {
      yield { at: segment.until, from: segment.until + segment.offset, to: segment.until + next.offset };
    }
    segment = next;
  }
}

/**
 * The first instant after `after` and before `before` that ends a gap in which an occurrence would have been; null when
 * there is none.
 */
export function findSkipped(
  fields: CronFields,
  zone: ZoneOffsets,
  after: number,
  before: number | null,
): number | null {
  for (const { at, from, to } of gaps(zone, after, before ?? after + LOOK_AHEAD)) {
    for (let wall = Math.ceil(from / MINUTE) * MINUTE; wall < to; wall += MINUTE) {
      if (matchesWall(fields, wall)) return at;
    }
  }
  return null;
}

/** Whether the wall time of `at` has been before, under the offset that ended at the latest transition. */
export function isRepeated(zone: ZoneOffsets, at: number): boolean {
  const { from, offset } = zone.segmentAt(at);
  return from !== -Infinity && at - from < zone.offsetAt(from - 1) - offset;
}

/**
 * Local dates in the years after `now` on which `next` finds nothing although the fields name times of that date, all
 * because of a transition.
 */
export function lostDays(
  fields: CronFields,
  zone: ZoneOffsets,
  now: number,
  next: (after: number) => number | null,
): string[] {
  const lost = new Set<number>();
  for (const { from, to } of gaps(zone, now, now + LOOK_AHEAD)) {
    for (let day = startOfDay(from); day < to; day += DAY) {
      if (matchesDate(fields, day) && isLost(fields, zone, day, next)) lost.add(day);
    }
  }
  return [...lost].map((day) => new Date(day * 1000).toISOString().slice(0, 10));
}

/** Approaches the day as the real sequence would: from the last occurrence of the day before, or through all of it. */
function isLost(fields: CronFields, zone: ZoneOffsets, day: number, next: (after: number) => number | null): boolean {
  const dayBefore = day - DAY;
  const wall = matchesDate(fields, dayBefore) ? dayBefore + lastTimeOfDay(fields) : dayBefore;
  const found = next(wall - zone.offsetAt(wall));
  return found === null || startOfDay(found + zone.offsetAt(found)) > day;
}

function lastTimeOfDay({ hour, minute }: CronFields): number {
  return (Math.max(...hour.values) * 60 + Math.max(...minute.values)) * MINUTE;
}

function matchesWall(fields: CronFields, wall: number): boolean {
  const date = new Date(wall * 1000);
  const atTime = fields.hour.values.has(date.getUTCHours()) && fields.minute.values.has(date.getUTCMinutes());
  return atTime && matchesDate(fields, wall);
}

function matchesDate(fields: CronFields, wall: number): boolean {
  const date = new Date(wall * 1000);
  return fields.month.values.has(date.getUTCMonth() + 1) && matchesDay(fields, date.getUTCDate(), date.getUTCDay());
}

function startOfDay(wall: number): number {
  return Math.floor(wall / DAY) * DAY;
}
