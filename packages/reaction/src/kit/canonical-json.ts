/** JSON text that is the same for equal values: members sorted by UTF-16 code units, no white space. */

/** @throws TypeError for what is no JSON: functions, symbols, bigints, cycles, numbers that are not finite. */
export function canonicalJson(value: unknown): string {
  return write(JSON.parse(jsonText(value)) as unknown);
}

/**
 * JSON text as `JSON.stringify` writes it, refusing what that leaves out at the top or turns into null.
 *
 * @throws TypeError as `canonicalJson`.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === "number" && !Number.isFinite(member)) throw new TypeError("a number is not finite");
    if (typeof member === "function" || typeof member === "symbol") throw new TypeError("a value is no JSON");
    return member;
  }) as string | undefined;
  if (text === undefined) throw new TypeError("the value is no JSON");
  return text;
}

/** Size of `text` in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function write(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(",")}}`;
}
