/**
 * The one gate that values of the application pass on their way to JSON: checks the payload contract and copies. The
 * copy shares nothing with its source, so whatever the application does to it later changes nothing.
 */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import { describeValue } from "./describe-value.ts";
import { isPlainJsonNumber, tokenProblem } from "./exact-json-number.ts";
import {
  JSON_CONTAINER_LIMIT,
  JSON_DEPTH_LIMIT,
  JSON_SIZE_LIMIT,
  JSON_TOTAL_DIGITS_LIMIT,
  jsonSizeError,
} from "./json-limits.ts";
import { formatJsonPath } from "./json-path.ts";
import type { ExactJsonNumber, JsonObject, JsonValue } from "./json-value.ts";
import { expandedDigits } from "./number-token.ts";
import { isPlainArrayPrototype, isPlainObjectPrototype } from "./plain-prototype.ts";
import { rawJson } from "./raw-json.ts";
import { requireJsonObject } from "./require-json-object.ts";

/** What a value is and how large it may be. */
export interface JsonCheck {
  /** Names the value in messages, like `job output`; `JSON value` unless given. */
  readonly subject?: string | undefined;
  /** Objects and arrays open at once; 1,000 unless given. A value that goes into an object gets one less. */
  readonly maxDepth?: number | undefined;
  /**
   * Bytes of JSON text; 32 MiB unless given. The copy alone is refused only when it must exceed them; the exact check
   * is made on the text.
   */
  readonly maxBytes?: number | undefined;
}

/** Subject of messages about a value that nobody has named. */
export const UNNAMED_JSON = "JSON value";

/**
 * Checks and copies a value. Objects of the copy have a null prototype; properties that are `undefined` or not
 * enumerable are left out, as are named properties of arrays.
 *
 * @throws JsonValueError for anything that is not JSON or breaks the payload contract.
 */
export function copyJsonValue(value: unknown, check: JsonCheck = {}): JsonValue {
  const copier = new JsonCopier(check);
  try {
    return copier.copy(value);
  } catch (error) {
    if (error instanceof JsonValueError) throw error;
    // A trap of a proxy threw.
    throw copier.refusal("expected a value that can be read, got one that fails when read");
  }
}

/** As {@link copyJsonValue}, for a value that must be an object. */
export function copyJsonObject(value: unknown, check: JsonCheck = {}): JsonObject {
  return requireJsonObject(copyJsonValue(value, check), check.subject ?? UNNAMED_JSON);
}

/** An object or array whose contents are being copied. */
interface OpenContainer {
  /** Where it is in the container around it. */
  readonly key: number | string | undefined;
  readonly source: object;
  /** Keys of an object; null for an array. */
  readonly keys: readonly string[] | null;
  readonly target: JsonValue[] | Record<string, JsonValue>;
  /** Index of the next key or element. */
  next: number;
}

/** Keeps its own stack instead of recursing, because the caller may have used up most of the engine's. */
class JsonCopier {
  readonly #subject: string;
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  /** From the outermost to the innermost. */
  readonly #open: OpenContainer[] = [];
  readonly #openSources = new Set<object>();
  #containers = 0;
  /** Lower bound of the text's length so far: every value counts with its separator, of which the root has none. */
  #bytes = -1;
  #exactDigits = 0;

  constructor(check: JsonCheck) {
    this.#subject = check.subject ?? UNNAMED_JSON;
    this.#maxDepth = check.maxDepth ?? JSON_DEPTH_LIMIT;
    this.#maxBytes = check.maxBytes ?? JSON_SIZE_LIMIT;
  }

  copy(value: unknown): JsonValue {
    const root = this.#begin(value, undefined);
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) {
      const more = inner.keys === null ? this.#copyElement(inner) : this.#copyProperty(inner, inner.keys);
      if (!more) {
        this.#open.pop();
        this.#openSources.delete(inner.source);
      }
    }
    return root;
  }

  refusal(problem: string, key?: number | string): JsonValueError {
    const keys = [...this.#open.map((container) => container.key), key];
    const path = formatJsonPath(keys.filter((segment) => segment !== undefined));
    return new JsonValueError(path, `${this.#subject} at ${path}: ${problem}`);
  }

  /** Copies a primitive, or opens an object or array and returns its copy, still empty. */
  #begin(value: unknown, key: number | string | undefined): JsonValue {
    switch (typeof value) {
      case "string":
        this.#checkText(value, "string", key);
        this.#count(value.length + 3);
        return value;
      case "number":
        if (!isPlainJsonNumber(value)) throw this.refusal(numberExpectation(value), key);
        this.#count(2);
        return value;
      case "boolean":
        this.#count(5);
        return value;
      case "object":
        if (value !== null) return this.#beginObject(value, key);
        this.#count(5);
        return value;
      default:
        throw this.refusal(`expected JSON, got ${describeValue(value)}`, key);
    }
  }

  #beginObject(source: object, key: number | string | undefined): JsonValue {
    if (rawJson.isRawJSON(source)) return this.#checkExactNumber(source as ExactJsonNumber, key);
    if (this.#openSources.has(source)) throw this.refusal("expected no circular reference", key);
    if (this.#open.length >= this.#maxDepth) {
      throw this.refusal(`expected at most ${count(this.#maxDepth)} nested objects and arrays`, key);
    }
    if (++this.#containers > JSON_CONTAINER_LIMIT) {
      throw this.refusal(`expected at most ${count(JSON_CONTAINER_LIMIT)} objects and arrays in all`, key);
    }
    // Two brackets and a separator, less the one that its last element does not have.
    this.#count(2);
    const keys = this.#keysOf(source, key);
    const target = keys === null ? [] : Object.create(null);
    this.#open.push({ key, source, keys, target, next: 0 });
    this.#openSources.add(source);
    return target;
  }

  #keysOf(source: object, key: number | string | undefined): readonly string[] | null {
    const prototype: object | null = Object.getPrototypeOf(source);
    if (Array.isArray(source)) {
      if (isPlainArrayPrototype(prototype)) return null;
      throw this.refusal("expected a plain array, got an instance of a class", key);
    }
    if (!isPlainObjectPrototype(prototype)) throw this.refusal(`expected JSON, got ${describeValue(source)}`, key);
    if (Object.getOwnPropertySymbols(source).length > 0) {
      throw this.refusal("expected string keys only, got a symbol", key);
    }
    return Object.keys(source);
  }

  /** Copies one element; false after the last. */
  #copyElement(container: OpenContainer): boolean {
    const index = container.next++;
    if (index >= (container.source as readonly unknown[]).length) return false;
    const element = Object.getOwnPropertyDescriptor(container.source, index);
    if (element === undefined) throw this.refusal("expected an array without holes", index);
    (container.target as JsonValue[])[index] = this.#begin(this.#dataOf(element, index), index);
    return true;
  }

  /** Copies one property; false after the last. */
  #copyProperty(container: OpenContainer, keys: readonly string[]): boolean {
    const key = keys[container.next++];
    if (key === undefined) return false;
    this.#checkText(key, "key", key);
    const property = Object.getOwnPropertyDescriptor(container.source, key);
    const value = property === undefined ? undefined : this.#dataOf(property, key);
    if (value === undefined) return true;
    this.#count(key.length + 3);
    (container.target as Record<string, JsonValue>)[key] = this.#begin(value, key);
    return true;
  }

  #dataOf(descriptor: PropertyDescriptor, key: number | string): unknown {
    if ("value" in descriptor) return descriptor.value;
    throw this.refusal("expected a data property, got an accessor", key);
  }

  #checkText(text: string, what: "key" | "string", key: number | string | undefined): void {
    if (text.includes("\0")) throw this.refusal(`expected a ${what} without U+0000`, key);
    if (!text.isWellFormed()) throw this.refusal(`expected a ${what} without lone surrogates`, key);
  }

  #checkExactNumber(number: ExactJsonNumber, key: number | string | undefined): ExactJsonNumber {
    const problem = tokenProblem(number.rawJSON);
    if (problem !== undefined) throw this.refusal(`expected ${problem}`, key);
    this.#exactDigits += expandedDigits(number.rawJSON);
    if (this.#exactDigits > JSON_TOTAL_DIGITS_LIMIT) {
      const limit = count(JSON_TOTAL_DIGITS_LIMIT);
      throw this.refusal(`expected exact numbers of at most ${limit} digits in all, without exponents`, key);
    }
    this.#count(number.rawJSON.length + 1);
    return number;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw jsonSizeError(this.#subject, this.#maxBytes);
  }
}

function numberExpectation(value: number): string {
  return Number.isInteger(value)
    ? "expected an exact number, got an integer beyond ±(2^53−1); use exactJsonNumber"
    : `expected a finite number, got ${value}`;
}

function count(limit: number): string {
  return limit.toLocaleString("en");
}
