/** Names the kind of a refused value in a message, never its contents. */

const NAME_LIMIT = 100;

/** A phrase like `an array`, `undefined` or `an instance of Date`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  const name = className(value);
  return name === undefined || name === "Object" ? "an object" : `an instance of ${name.slice(0, NAME_LIMIT)}`;
}

/** Reads the class by descriptors, because a getter is user code. */
function className(value: object): string | undefined {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null) return undefined;
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof constructor !== "function") return undefined;
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
  return typeof name === "string" && name !== "" ? name : undefined;
}
