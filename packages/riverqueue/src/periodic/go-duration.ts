/** Durations as Go writes them, such as `1h30m` or `-1.5s`: what follows `@every ` in a cron expression. */

const UNIT_NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3, // micro sign
  "\u03bcs": 1e3, // Greek mu
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** One number with its unit; a digit on at least one side of the point is asked for separately. */
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Largest magnitude in nanoseconds, about 292 years. */
const LARGEST = 2n ** 63n - 1n;

/** Length in nanoseconds, or null when `text` is no Go duration. */
export function parseGoDuration(text: string): bigint | null {
  const negative = text.startsWith("-");
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  if (unsigned === "") return null;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsigned.length) {
    const match = PART.exec(unsigned);
    if (match === null) return null;
    const [, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return null;
    total += nanoseconds(whole, fraction, UNIT_NANOSECONDS[unit] ?? 0);
    // Go holds one more negative nanosecond than positive ones.
    if (total > LARGEST + (negative ? 1n : 0n)) return null;
  }
  return negative ? -total : total;
}

/** Fractions are multiplied as doubles, like in Go, and cut to whole nanoseconds. */
function nanoseconds(whole: string, fraction: string, unit: number): bigint {
  const digits = fraction.slice(0, 18);
  const part = digits === "" ? 0 : Number(digits) * (unit / 10 ** digits.length);
  return BigInt(whole || "0") * BigInt(unit) + BigInt(Math.trunc(part));
}
