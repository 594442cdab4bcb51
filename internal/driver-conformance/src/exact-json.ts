/** JSON by meaning: texts that differ in white space, key order or the writing of a number are the same value. */
import assert from "node:assert/strict";

/** A JSON value; numbers by their exact value, objects as maps, so that no key is special. */
export type ExactJson = string | boolean | null | ExactNumber | readonly ExactJson[] | ReadonlyMap<string, ExactJson>;

/** A number of any size, as digits and exponent without leading or trailing zeros. */
export class ExactNumber {
  readonly text: string;

  constructor(token: string) {
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
    const digits = `${whole}${fraction}`.replace(/^0+/, "");
    const kept = digits.replace(/0+$/, "");
    const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
    this.text = kept === "" ? "0" : `${sign}${kept}e${power}`;
  }
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads JSON; of a repeated key the last value counts. */
export function readExactJson(text: string): ExactJson {
  const marked: unknown = JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === "number") return new ExactNumber(context?.source ?? "");
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) return value;
    return Array.isArray(value) ? value : new Map(Object.entries(value));
  });
  return marked as ExactJson;
}

/** One text for each value. */
export function canonicalJson(text: string): string {
  return write(readExactJson(text));
}

/** The members of an object, or the elements of an array by position, each as its one text. */
export function canonicalMembers(text: string): [string, string][] {
  const value = readExactJson(text);
  if (value instanceof Map) return [...value].map(([key, member]) => [key, write(member)]);
  return Array.isArray(value) ? value.map((element: ExactJson, index) => [String(index), write(element)]) : [];
}

/** Fails unless both texts are the same value. */
export function sameJson(actual: string | undefined, expected: string): void {
  assert.equal(actual === undefined ? actual : canonicalJson(actual), canonicalJson(expected));
}

function write(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Map) {
    const members = [...value].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  return JSON.stringify(value);
}

/** Whether `value` contains `part`, with the meaning of Postgres's `@>` for objects. */
export function containsJson(value: ExactJson, part: ExactJson): boolean {
  if (part instanceof Map) {
    return (
      value instanceof Map &&
      [...part].every(([key, member]) => value.has(key) && containsJson(value.get(key) ?? null, member))
    );
  }
  if (Array.isArray(part)) {
    return (
      Array.isArray(value) &&
      part.every((member: ExactJson) => value.some((element: ExactJson) => containsJson(element, member)))
    );
  }
  if (part instanceof ExactNumber) return value instanceof ExactNumber && value.text === part.text;
  return value === part;
}
