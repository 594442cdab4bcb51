/**
 * The payload contract: what River stores is accepted by every backend and comes back unchanged from each. Strings and
 * keys are well-formed Unicode without U+0000, and the limits below hold.
 */
import { JsonValueError } from "../model/errors/json-value-error.ts";

/** Objects and arrays that may be open at once; `[]` has depth 1. SQLite refuses a document of 1,001 levels. */
export const JSON_DEPTH_LIMIT = 1_000;

/**
 * Objects and arrays in one value. Bounds the time a copy takes, which blocks the process; a value whose parts are shared
 * often enough would otherwise be copied for ever.
 */
export const JSON_CONTAINER_LIMIT = 1_000_000;

/** Longest JSON text of one value (args, metadata, output), in bytes of UTF-8: 32 MiB. */
export const JSON_SIZE_LIMIT = 33_554_432;

/**
 * Digits of one exact number, before and after the point together, once it is written without exponent, which is what
 * Postgres does with it. Holds the expansion of any double (1,075 digits) several times, and stays far below the
 * limits of `numeric`.
 */
export const JSON_NUMBER_DIGITS_LIMIT = 4_096;

/** The same digits for all exact numbers of one value, so that a small text does not become a huge one in Postgres. */
export const JSON_TOTAL_DIGITS_LIMIT = 1_048_576;

/**
 * Checks the size of a JSON text.
 *
 * @param subject - what the text is, as the message names it, like `job output`.
 * @param maxBytes - limit in bytes of UTF-8.
 * @throws JsonValueError when the text is longer.
 */
export function assertJsonSize(text: string, subject: string, maxBytes: number = JSON_SIZE_LIMIT): void {
  // A UTF-16 unit takes one to three bytes, so most texts need no counting.
  if (text.length * 3 <= maxBytes) return;
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) throw jsonSizeError(subject, maxBytes);
}

/** The error for a value whose text is, or would be, longer than `maxBytes`. */
export function jsonSizeError(subject: string, maxBytes: number): JsonValueError {
  const mebibytes = maxBytes / 1_048_576;
  const limit = Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${maxBytes} bytes`;
  return new JsonValueError("$", `${subject} must not exceed ${limit}`);
}
