/** Names the kind of what a handler returned, never its contents. */
export function describeReturned(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "an array" : "an object that is no outcome";
}
