/** Public way from a value to JSON text. */
import { copyJsonValue, UNNAMED_JSON } from "./copy-json-value.ts";
import { assertJsonSize } from "./json-limits.ts";
import { writeJsonText } from "./write-json-text.ts";

/**
 * Checks a value as `toJsonValue` does and writes it without whitespace: keys in their order, exact numbers as they are,
 * negative zero as `-0`.
 *
 * @throws JsonValueError as `toJsonValue` does.
 */
export function stringifyJson(value: unknown): string {
  const text = writeJsonText(copyJsonValue(value));
  assertJsonSize(text, UNNAMED_JSON);
  return text;
}
