/**
 * Finds the next instant at which cron fields match, exactly like River clients in other languages: a leader of one
 * language must fire at the same instants as a leader of another. That includes what the search does around time zone
 * transitions, also where it surprises: calendar steps jump, hours and minutes walk through elapsed time, and a unit is
 * not looked at again unless a smaller one wraps.
 *
 * Instants are whole seconds since the Unix epoch; a wall time is held as the instant it would be in UTC.
 */
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { type CronFields, matchesDay, matchesNothing } from "./cron-fields.ts";
import type { ZoneOffsets } from "./zone-offsets.ts";

/** How many calendar years after its start a search still looks at. */
export const SEARCH_YEARS = 5;

const MINUTE = 60;
const HOUR = 3600;

/**
 * The first occurrence at `start` or later; null when there is none in the years searched.
 *
 * @throws ConfigurationError when the search meets a calendar day that the zone skipped entirely.
 */
export function findOccurrence(fields: CronFields, zone: ZoneOffsets, start: number): number | null {
  if (matchesNothing(fields)) return null;
  const walk = new Walk(zone, start);
  const yearLimit = walk.year + SEARCH_YEARS;
  while (walk.year <= yearLimit) {
    if (
      stepMonths(walk, fields) &&
      stepDays(walk, fields) &&
      stepHours(walk, fields) &&
      stepMinutes(walk, fields) &&
      stepSeconds(walk)
    ) {
      return walk.at;
    }
  }
  return null;
}

/** A position that moves forward. Its first step resets everything smaller than the unit stepped; later ones need not. */
class Walk {
  readonly #zone: ZoneOffsets;
  #at: number;
  #wall!: Date;
  #reset = false;

  constructor(zone: ZoneOffsets, at: number) {
    this.#zone = zone;
    this.#at = at;
    this.moveTo(at);
  }

  get at(): number {
    return this.#at;
  }
  get year(): number {
    return this.#wall.getUTCFullYear();
  }
  /** From 1. */
  get month(): number {
    return this.#wall.getUTCMonth() + 1;
  }
  get day(): number {
    return this.#wall.getUTCDate();
  }
  get dayOfWeek(): number {
    return this.#wall.getUTCDay();
  }
  get hour(): number {
    return this.#wall.getUTCHours();
  }
  get minute(): number {
    return this.#wall.getUTCMinutes();
  }
  get second(): number {
    return this.#wall.getUTCSeconds();
  }

  moveTo(at: number): void {
    this.#at = at;
    this.#wall = new Date((at + this.#zone.offsetAt(at)) * 1000);
  }

  /** Moves to the wall time that `change` makes of the current one. */
  moveWall(change: (wall: Date) => void): void {
    const wall = new Date(this.#wall);
    change(wall);
    this.moveTo(instantOfWall(this.#zone, wall.getTime() / 1000));
  }

  /** Does `change` unless an earlier step has reset the smaller units already. */
  resetOnce(change: () => void): void {
    if (this.#reset) return;
    this.#reset = true;
    change();
  }
}

/**
 * The instant of a wall time. It decides which side a skipped or repeated wall time falls on: the offset that holds at
 * the wall time read as UTC leads to an instant, and the offset at that instant is the one used.
 */
function instantOfWall(zone: ZoneOffsets, wall: number): number {
  const guess = zone.offsetAt(wall);
  return guess === 0 ? wall : wall - zone.offsetAt(wall - guess);
}

// Each step function returns false when its unit wrapped, which restarts the search from the month.

function stepMonths(walk: Walk, { month }: CronFields): boolean {
  while (!month.values.has(walk.month)) {
    walk.resetOnce(() =>
      walk.moveWall((wall) => {
        wall.setUTCDate(1);
        wall.setUTCHours(0, 0, 0);
      }),
    );
    walk.moveWall((wall) => wall.setUTCMonth(wall.getUTCMonth() + 1));
    if (walk.month === 1) return false;
  }
  return true;
}

function stepDays(walk: Walk, fields: CronFields): boolean {
  while (!matchesDay(fields, walk.day, walk.dayOfWeek)) {
    walk.resetOnce(() => walk.moveWall((wall) => wall.setUTCHours(0, 0, 0)));
    const before = walk.at;
    walk.moveWall((wall) => wall.setUTCDate(wall.getUTCDate() + 1));
    // A transition may have moved midnight.
    if (walk.hour > 12) walk.moveTo(walk.at + (24 - walk.hour) * HOUR);
    else if (walk.hour !== 0) walk.moveTo(walk.at - walk.hour * HOUR);
    if (walk.at <= before) throw skippedDay(walk);
    if (walk.day === 1) return false;
  }
  return true;
}

function stepHours(walk: Walk, { hour }: CronFields): boolean {
  while (!hour.values.has(walk.hour)) {
    walk.resetOnce(() => walk.moveWall((wall) => wall.setUTCMinutes(0, 0)));
    walk.moveTo(walk.at + HOUR);
    if (walk.hour === 0) return false;
  }
  return true;
}

function stepMinutes(walk: Walk, { minute }: CronFields): boolean {
  while (!minute.values.has(walk.minute)) {
    walk.resetOnce(() => walk.moveTo(walk.at - walk.second));
    walk.moveTo(walk.at + MINUTE);
    if (walk.minute === 0) return false;
  }
  return true;
}

/** Seconds match only at 0: any other one goes on to the next minute, which is a wrap. */
function stepSeconds(walk: Walk): boolean {
  if (walk.second === 0) return true;
  walk.resetOnce(() => {});
  walk.moveTo(walk.at + MINUTE - walk.second);
  return false;
}

function skippedDay(walk: Walk): ConfigurationError {
  const date = `${walk.year}-${String(walk.month).padStart(2, "0")}-${String(walk.day).padStart(2, "0")}`;
  return new ConfigurationError(`schedule cannot go on: its time zone skipped the whole day after ${date}`);
}
