/** Comparisons that see what `deepStrictEqual` does not: it takes any two `Temporal` values for equal. */
import assert from "node:assert/strict";
import { types } from "node:util";

/** What {@link plain} makes of anything. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/**
 * A copy for `deepStrictEqual` and for printing: times and durations as ISO text, bigints as `12n`, byte arrays as
 * `bytes 0a0b`, errors by name, message and code, every other object by its own enumerable fields without a class.
 */
export function plain(value: unknown): PlainValue {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function" || typeof value === "symbol") return value.toString();
  if (typeof value !== "object" || value === null) return value as string | number | boolean | null | undefined;
  if (isTemporal(value)) return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (types.isUint8Array(value)) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (value instanceof Error) {
    return { name: value.name, message: value.message, code: plain((value as { code?: unknown }).code) };
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return [...value].map(plain);
  if (value instanceof Map) return [...value].map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

function isTemporal(value: object): value is Temporal.Instant | Temporal.Duration {
  return Object.prototype.toString.call(value).startsWith("[object Temporal.");
}

/** Fails unless both are the same instant, to the nanosecond. */
export function sameInstant(actual: unknown, expected: Temporal.Instant | string): void {
  assert.ok(actual instanceof Temporal.Instant, `${String(actual)} is no Temporal.Instant`);
  assert.equal(actual.toString(), Temporal.Instant.from(expected).toString());
}
