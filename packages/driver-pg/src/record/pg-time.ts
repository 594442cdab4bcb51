/** Times as Postgres writes them in ISO style and as it reads them, to the microsecond. */

const FORM =
  /^(?<year>\d{4,6})(?<rest>-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d(?::\d\d)?)?)(?<era> BC)?$/;

/** The instant, or null for text of another form, for infinity, and for a time that `Temporal` cannot hold. */
export function parseTime(text: string): Temporal.Instant | null {
  try {
    // Nearly every time there is: year of four digits, of our era.
    if (text.length <= 32 && text[4] === "-" && !text.endsWith("C")) return Temporal.Instant.from(text);
    const match = FORM.exec(text)?.groups;
    if (match === undefined) return null;
    const year = match["era"] === undefined ? Number(match["year"]) : 1 - Number(match["year"]);
    return Temporal.Instant.from(`${isoYear(year)}${match["rest"]}`);
  } catch {
    return null;
  }
}

function isoYear(year: number): string {
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/** Why a time could not be read, to be put behind a message; empty where it is but out of range. */
export function styleHint(text: string): string {
  const isIso = /^\d{4,6}-\d\d-\d\d |infinity$/.test(text);
  return isIso ? "" : ": the connection's DateStyle must be ISO";
}

/** Text of `instant` for a placeholder; what is finer than a microsecond is cut off, as the other clients do. */
export function formatTime(instant: Temporal.Instant): string {
  const text = instant.round({ smallestUnit: "microsecond", roundingMode: "floor" }).toString();
  if (text[0] === "+") return text.slice(1);
  if (text[0] !== "-") return text.startsWith("0000") ? beforeChrist(0, text.slice(4)) : text;
  return beforeChrist(Number(text.slice(0, 7)), text.slice(7));
}

function beforeChrist(year: number, rest: string): string {
  return `${String(1 - year).padStart(4, "0")}${rest} BC`;
}

/** The same for an absent time. */
export function formatOptionalTime(instant: Temporal.Instant | null): string | null {
  return instant === null ? null : formatTime(instant);
}

/** The same as JSON. */
export function timeJson(instant: Temporal.Instant | null): string {
  return JSON.stringify(formatOptionalTime(instant));
}
