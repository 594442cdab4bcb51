/** Numbers that JavaScript's `number` cannot hold: making, recognising, reading. */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import { JSON_NUMBER_DIGITS_LIMIT } from "./json-limits.ts";
import type { ExactJsonNumber, JsonNumber } from "./json-value.ts";
import { decimalOf, expandedDigits } from "./number-token.ts";
import { rawJson } from "./raw-json.ts";

const TOKEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Room for sign, point and exponent beside the digits; also keeps the pattern away from endless tokens. */
const TOKEN_LENGTH_LIMIT = JSON_NUMBER_DIGITS_LIMIT + 32;
const TOKEN_START = /^[-\d]/;

/**
 * Makes a number from its JSON text, which is kept as written: `exactJsonNumber("9007199254740993")`.
 *
 * @param token - a JSON number of at most 4,096 digits once written without exponent.
 * @throws JsonValueError for any other text.
 */
export function exactJsonNumber(token: string): ExactJsonNumber {
  const problem = tokenProblem(token);
  if (problem !== undefined) throw new JsonValueError("$", `exact JSON number: expected ${problem}`);
  return rawJson.rawJSON(token);
}

/** Whether `value` is an exact number, one that `parseJson` or {@link exactJsonNumber} made. */
export function isExactJsonNumber(value: unknown): value is ExactJsonNumber {
  return rawJson.isRawJSON(value) && TOKEN_START.test(value.rawJSON);
}

/** Whether `value` is a JSON number: an exact one, or a finite `number` that is no integer beyond ±(2^53−1). */
export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === "number" ? isPlainJsonNumber(value) : isExactJsonNumber(value);
}

/** Whether a `number` is exact enough for JSON: finite, and safe when it is an integer. */
export function isPlainJsonNumber(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/**
 * The value of an integer JSON number, exactly; `1.50e1` is 15.
 *
 * @throws JsonValueError when the value is no JSON number or no integer, or has more than 4,096 digits.
 */
export function jsonNumberToBigInt(value: JsonNumber): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (!isExactJsonNumber(value)) throw integerError();
  const { negative, digits, magnitude } = decimalOf(value.rawJSON);
  if (magnitude < digits.length || magnitude > JSON_NUMBER_DIGITS_LIMIT) throw integerError();
  const absolute = BigInt(digits.padEnd(magnitude, "0"));
  return negative ? -absolute : absolute;
}

/** What an acceptable token would be, when `token` is none. */
export function tokenProblem(token: unknown): string | undefined {
  if (typeof token === "string" && token.length <= TOKEN_LENGTH_LIMIT) {
    if (!TOKEN.test(token)) return "the text of a JSON number";
    if (expandedDigits(token) <= JSON_NUMBER_DIGITS_LIMIT) return undefined;
  }
  return `the text of a JSON number of at most ${JSON_NUMBER_DIGITS_LIMIT.toLocaleString("en")} digits without exponent`;
}

function integerError(): JsonValueError {
  const limit = JSON_NUMBER_DIGITS_LIMIT.toLocaleString("en");
  return new JsonValueError("$", `JSON number: expected an exact integer of at most ${limit} digits`);
}
