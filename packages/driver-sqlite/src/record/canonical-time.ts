/**
 * Times as SQLite text. Written in one form only, `YYYY-MM-DD HH:MM:SS.SSS` in UTC, because statements compare times as
 * strings; read in every form that some version of a River client has stored.
 */
import { ValidationError } from "riverqueue/driver";

const CANONICAL_LENGTH = 23;
const YEAR_0_MS = -62_167_219_200_000;
const YEAR_10000_MS = 253_402_300_800_000;

// Date, time, fraction, offset; then what Go's default text appends: a zone name and a monotonic reading.
const STORED_TIME =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))? ?(Z|[+-]\d\d(?::?\d\d){0,2})?(?: [A-Za-z][A-Za-z0-9/_+-]*| [+-]\d{2,4})?(?: m=[+-][\d.]+)?$/;

/**
 * Milliseconds since the epoch as canonical text.
 *
 * @throws ValidationError when the year is not 0 to 9999: such text would not sort.
 */
export function formatEpochMilliseconds(milliseconds: number): string {
  if (milliseconds < YEAR_0_MS || milliseconds >= YEAR_10000_MS) {
    throw new ValidationError("time: expected a year from 0 to 9999, which is what SQLite times can hold");
  }
  const iso = new Date(milliseconds).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, CANONICAL_LENGTH)}`;
}

/** `instant` rounded to milliseconds, half up, as canonical text. */
export function formatTime(instant: Temporal.Instant): string {
  return formatEpochMilliseconds(roundToMilliseconds(instant));
}

/** Like {@link formatTime}; null stays null. */
export function formatOptionalTime(instant: Temporal.Instant | null): string | null {
  return instant === null ? null : formatTime(instant);
}

/** `instant` rounded to milliseconds, half up: the precision that SQLite keeps. */
export function roundToMilliseconds(instant: Temporal.Instant): number {
  return instant.round({ smallestUnit: "millisecond", roundingMode: "halfExpand" }).epochMilliseconds;
}

/** The instant that stored text stands for, with all digits it has; null when it is no time. */
export function parseTime(text: string): Temporal.Instant | null {
  if (text.length === CANONICAL_LENGTH && text.charCodeAt(10) === 0x20 && text.charCodeAt(19) === 0x2e) {
    const milliseconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11)}Z`);
    return Number.isNaN(milliseconds) ? null : Temporal.Instant.fromEpochMilliseconds(milliseconds);
  }
  const match = STORED_TIME.exec(text);
  if (match === null) return null;
  const [, date, time, fraction, offset] = match;
  try {
    return Temporal.Instant.from(`${date}T${time}${fraction === undefined ? "" : `.${fraction}`}${isoOffset(offset)}`);
  } catch {
    return null; // A month 13 or the like.
  }
}

function isoOffset(offset: string | undefined): string {
  if (offset === undefined || offset === "Z") return "Z";
  const digits = offset.slice(1).replaceAll(":", "");
  return offset[0] + (digits.match(/\d\d/g) ?? []).join(":");
}
