/**
 * The time of a range as beginnings of its text, for stores that can list a prefix but not begin at a key: each prefix
 * stands for a minute or for a decimal digit's worth of minutes, hours, days, months or years, the largest that lies after
 * the start. A range of any length is a few dozen of them at most.
 */

/** To the minute: `2026-03-01T23:59`. */
const MINUTE = 16;
/** By the place of a tens digit: the greatest there, and the greatest after that one. */
const TENS: Readonly<Record<number, readonly [tens: number, ones: number]>> = {
  5: [1, 2],
  8: [3, 1],
  11: [2, 3],
  14: [5, 9],
};

/**
 * Prefixes of ISO times from `from` on, up to `to`, ascending; no time has two of them. The first also stands for times of
 * `from`'s minute that are before it, and the last for times after `to`.
 */
export function timePrefixes(from: string, to: string): string[] {
  const prefixes = [from.slice(0, MINUTE)];
  for (let place = MINUTE - 1; place >= 0; place--) {
    const digit = from.charAt(place);
    if (!/\d/.test(digit)) continue;
    const before = from.slice(0, place);
    for (let next = Number(digit) + 1; next <= greatest(from, place); next++) prefixes.push(`${before}${next}`);
  }
  return prefixes.filter((prefix) => prefix < to);
}

function greatest(time: string, place: number): number {
  const tens = TENS[place];
  if (tens !== undefined) return tens[0];
  const before = TENS[place - 1];
  return before !== undefined && Number(time.charAt(place - 1)) === before[0] ? before[1] : 9;
}
