/**
 * The text that goes into the database and into unique keys: byte for byte what River for Go's encoder writes for the
 * same value, so that clients of both languages compute the same keys.
 */
import { UNNAMED_JSON } from "./copy-json-value.ts";
import { assertJsonSize, JSON_SIZE_LIMIT } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";
import { writeJsonText } from "./write-json-text.ts";

/** Characters that can only stand inside strings and keys, so the finished text is searched once. */
const ESCAPED = /[<>&\u2028\u2029]/;

/**
 * Encodes a value that has passed `copyJsonValue`, and checks the exact size of its text. As `JSON.stringify`, with
 * `<`, `>`, `&`, U+2028 and U+2029 escaped in lowercase hex and negative zero as `-0`.
 *
 * @param subject - names the value in the message, like `job output`.
 * @param maxBytes - limit in bytes of UTF-8, 32 MiB unless given.
 * @throws JsonValueError when the text is longer.
 */
export function encodeStoredJson(
  value: JsonValue,
  subject: string = UNNAMED_JSON,
  maxBytes: number = JSON_SIZE_LIMIT,
): string {
  const text = escapeLikeGo(writeJsonText(value));
  assertJsonSize(text, subject, maxBytes);
  return text;
}

/** Adds to JSON text, of a value or of a single string, the escapes of Go's encoder. */
export function escapeLikeGo(text: string): string {
  if (!ESCAPED.test(text)) return text;
  return text
    .replaceAll("<", String.raw`\u003c`)
    .replaceAll(">", String.raw`\u003e`)
    .replaceAll("&", String.raw`\u0026`)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}
