/** Public entry to the check that every value passes on its way to the database. */
import { copyJsonObject, copyJsonValue } from "./copy-json-value.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";

/**
 * Checks that a value is JSON that every backend stores unchanged, and copies it. Properties that are `undefined` are
 * left out; objects of the copy have a null prototype.
 *
 * @throws JsonValueError with the path of the first accessor, class instance (`Date` included), hole, cycle, NaN,
 *   infinity, integer beyond ±(2^53−1), `bigint`, function, symbol, misplaced `undefined`, text with U+0000 or a lone
 *   surrogate, exact number of more than 4,096 digits, or level of nesting after the 1,000th; and when the text would
 *   exceed 32 MiB.
 */
export function toJsonValue(value: unknown): JsonValue {
  return copyJsonValue(value);
}

/**
 * As {@link toJsonValue}, for a value that must be an object.
 *
 * @throws JsonValueError also for arrays, primitives and exact numbers.
 */
export function toJsonObject(value: unknown): JsonObject {
  return copyJsonObject(value);
}
