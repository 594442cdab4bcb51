/**
 * Writes JSON values as text. Unlike `JSON.stringify` it keeps the sign of negative zero and calls no `toJSON`. It keeps
 * its own stack instead of recursing, so depth does not matter.
 */
import type { ExactJsonNumber, JsonArray, JsonObject, JsonValue } from "./json-value.ts";
import { rawJson } from "./raw-json.ts";

/** An object or array whose contents are being written. */
interface OpenContainer {
  readonly source: object;
  /** Keys of an object; null for an array. */
  readonly keys: readonly string[] | null;
  readonly length: number;
  /** Index of the next key or element. */
  next: number;
}

/**
 * Text of a value that is known to be JSON, in the order of its keys, without whitespace; strings and numbers as
 * `JSON.stringify` writes them.
 *
 * @throws RangeError when the text is longer than a string can be, which a value within the payload contract is not.
 */
export function writeJsonText(value: JsonValue): string {
  if (!isContainer(value)) return writePrimitive(value);
  const open = [openContainer(value)];
  let text = Array.isArray(value) ? "[" : "{";
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    if (inner.next === inner.length) {
      text += inner.keys === null ? "]" : "}";
      open.pop();
      continue;
    }
    if (inner.next > 0) text += ",";
    const key = inner.keys?.[inner.next];
    if (key !== undefined) text += `${JSON.stringify(key)}:`;
    const child = (inner.source as Record<number | string, JsonValue>)[key ?? inner.next] as JsonValue;
    inner.next++;
    if (isContainer(child)) {
      open.push(openContainer(child));
      text += Array.isArray(child) ? "[" : "{";
    } else {
      text += writePrimitive(child);
    }
  }
  return text;
}

function isContainer(value: JsonValue): value is JsonArray | JsonObject {
  return typeof value === "object" && value !== null && !rawJson.isRawJSON(value);
}

function openContainer(source: object): OpenContainer {
  if (Array.isArray(source)) return { source, keys: null, length: source.length, next: 0 };
  const keys = Object.keys(source);
  return { source, keys, length: keys.length, next: 0 };
}

function writePrimitive(value: ExactJsonNumber | boolean | number | string | null): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  return typeof value === "object" && value !== null ? value.rawJSON : String(value);
}
