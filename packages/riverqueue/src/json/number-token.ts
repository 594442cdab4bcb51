/**
 * Arithmetic on the text of a JSON number. The loops are written out because a regular expression over a token of
 * millions of digits, which a stored text may hold, takes quadratic time or exhausts the matcher's stack.
 */

/** A decimal number as `±0.digits × 10^magnitude`; zero has no digits and magnitude 0. */
export interface Decimal {
  readonly negative: boolean;
  /** Significant digits: neither the first nor the last is `0`. */
  readonly digits: string;
  readonly magnitude: number;
}

/** Parts of a JSON number token as written. */
interface TokenParts {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: number;
}

const ZERO = 48;

/**
 * Whether the `number` that a well-formed token parses to has the token's decimal value. Integers beyond ±(2^53−1) do
 * not count as held, whatever their digits: neighbours of theirs are indistinguishable.
 */
export function numberHoldsToken(token: string, parsed: number): boolean {
  if (!Number.isFinite(parsed) || (Number.isInteger(parsed) && !Number.isSafeInteger(parsed))) return false;
  const shortest = String(parsed);
  if (shortest === token) return true;
  const written = decimalOf(token);
  const held = decimalOf(shortest);
  // Zeros are equal whatever their sign; a parsed zero keeps the sign of its token.
  return written.digits === held.digits && written.magnitude === held.magnitude;
}

/** The value of a well-formed JSON number token. */
export function decimalOf(token: string): Decimal {
  const { negative, integer, fraction, exponent } = partsOf(token);
  const all = integer + fraction;
  let start = 0;
  while (all.charCodeAt(start) === ZERO) start++;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--;
  const digits = all.slice(start, end);
  return { negative, digits, magnitude: digits === "" ? 0 : integer.length - start + exponent };
}

/** Digits of a well-formed token when written without exponent, trailing zeros of its fraction included. */
export function expandedDigits(token: string): number {
  const { integer, fraction, exponent } = partsOf(token);
  return Math.max(integer.length + exponent, 1) + Math.max(fraction.length - exponent, 0);
}

function partsOf(token: string): TokenParts {
  const negative = token.startsWith("-");
  const mantissaEnd = exponentMark(token);
  const mantissa = token.slice(negative ? 1 : 0, mantissaEnd);
  const point = mantissa.indexOf(".");
  return {
    negative,
    integer: point < 0 ? mantissa : mantissa.slice(0, point),
    fraction: point < 0 ? "" : mantissa.slice(point + 1),
    exponent: mantissaEnd === token.length ? 0 : Number(token.slice(mantissaEnd + 1)),
  };
}

function exponentMark(token: string): number {
  const lower = token.indexOf("e");
  const mark = lower < 0 ? token.indexOf("E") : lower;
  return mark < 0 ? token.length : mark;
}
