/**
 * Reads the `errors` column. Every tool may append to it, so whatever it holds is read as well as possible: no entry
 * gets lost, and none makes its row unreadable.
 */
import type { JsonArray, JsonObject, JsonValue } from "../json/json-value.ts";
import { isExactJsonNumber, isJsonNumber } from "../json/exact-json-number.ts";
import { parseJson } from "../json/parse-json.ts";
import { writeJsonText } from "../json/write-json-text.ts";
import type { AttemptError } from "./attempt-error.ts";

/**
 * The entries of the column in order. A time that is none becomes the epoch, an attempt that is no number 0, and other
 * values in place of text their JSON text; an entry that is no object is taken for the message.
 *
 * @param text - JSON text of an array.
 * @throws JsonValueError when the text is no JSON, which neither database stores.
 */
export function readAttemptErrors(text: string): readonly AttemptError[] {
  if (text === "[]") return NO_ERRORS;
  const column = parseJson(text);
  const entries: JsonArray = isArray(column) ? column : [column];
  return Object.freeze(entries.map(readAttemptError));
}

const NO_ERRORS: readonly AttemptError[] = Object.freeze([]);

function readAttemptError(entry: JsonValue): AttemptError {
  const fields: JsonObject = isObject(entry) ? entry : { error: entry };
  return Object.freeze({
    at: readTime(fields["at"]),
    attempt: readAttempt(fields["attempt"]),
    error: readText(fields["error"]),
    trace: readText(fields["trace"]),
  });
}

function readTime(value: JsonValue | undefined): Temporal.Instant {
  try {
    if (typeof value === "string") return Temporal.Instant.from(value);
  } catch {
    // Not a time; the entry is worth more than the time.
  }
  return Temporal.Instant.fromEpochMilliseconds(0);
}

function readAttempt(value: JsonValue | undefined): number {
  const text = isExactJsonNumber(value) ? value.rawJSON : value;
  const attempt = typeof text === "number" || typeof text === "string" ? Math.trunc(Number(text)) : 0;
  return Number.isSafeInteger(attempt) ? Math.max(attempt, 0) : 0;
}

function readText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : writeJsonText(value);
}

function isArray(value: JsonValue): value is JsonArray {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !isArray(value) && !isJsonNumber(value);
}
