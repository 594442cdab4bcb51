/**
 * Reads JSON text, of the database or of anybody: numbers exact, objects without a prototype, any depth. What the payload
 * contract refuses when writing is accepted here, because other programs write to the same tables.
 */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import { describeValue } from "./describe-value.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";
import { readExactJson } from "./read-exact-json.ts";
import { requireJsonObject } from "./require-json-object.ts";

/**
 * Finds every token that a `number` might not hold: 16 or more digits, or an exponent. Without either a double has the
 * token's decimal value. Text in strings may match by accident, which only costs time.
 */
const MAYBE_INEXACT = /(?:^|[:,[\s])-?(?:[\d.]{16}|[\d.]+[eE])/;

/**
 * Parses JSON text. A number that a `number` cannot hold exactly becomes an `ExactJsonNumber` with its text; objects
 * have a null prototype; the last of repeated keys wins.
 *
 * @throws JsonValueError when the text is no JSON; the message does not repeat the text.
 */
export function parseJson(text: string): JsonValue {
  const parsed = parsePlain(text);
  return MAYBE_INEXACT.test(text) ? readExactJson(text) : withoutPrototypes(parsed);
}

/**
 * As {@link parseJson}, for the text of an object.
 *
 * @throws JsonValueError also when the text is of an array or a primitive.
 */
export function parseJsonObject(text: string): JsonObject {
  return requireJsonObject(parseJson(text), "JSON text");
}

function parsePlain(text: string): JsonValue {
  if (typeof text !== "string")
    throw new JsonValueError("$", `JSON text: expected a string, got ${describeValue(text)}`);
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the text, which may be a payload.
    throw new JsonValueError("$", "JSON text: expected well-formed JSON");
  }
}

/** Copies objects to ones without a prototype, level by level and without recursion, since depth is not limited here. */
function withoutPrototypes(root: JsonValue): JsonValue {
  if (typeof root !== "object" || root === null) return root;
  const copy = emptyLike(root);
  const pending: [source: object, target: object][] = [[root, copy]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const source = next[0] as Record<string, JsonValue>;
    const target = next[1] as Record<string, JsonValue>;
    for (const key of Object.keys(source)) {
      const value = source[key] as JsonValue;
      if (typeof value === "object" && value !== null) {
        const child = emptyLike(value);
        target[key] = child;
        pending.push([value, child]);
      } else {
        target[key] = value;
      }
    }
  }
  return copy;
}

function emptyLike(value: object): JsonObject | JsonValue[] {
  return Array.isArray(value) ? [] : Object.create(null);
}
