/** Narrows JSON to an object where nothing else will do. */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import { describeValue } from "./describe-value.ts";
import { isExactJsonNumber } from "./exact-json-number.ts";
import type { JsonArray, JsonObject, JsonValue } from "./json-value.ts";

/**
 * Returns `value` when it is an object.
 *
 * @param subject - names the value in the message, like `job args`.
 * @throws JsonValueError when it is an array or a primitive.
 */
export function requireJsonObject(value: JsonValue, subject: string): JsonObject {
  if (typeof value === "object" && value !== null && !isArray(value) && !isExactJsonNumber(value)) return value;
  const found = isExactJsonNumber(value) ? "a number" : describeValue(value);
  throw new JsonValueError("$", `${subject} at $: expected an object, got ${found}`);
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}
