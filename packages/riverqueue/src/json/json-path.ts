/** Writes where in a JSON value something is. */

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const KEY_LIMIT = 100;
const SEGMENT_LIMIT = 100;

/**
 * A path like `$.lines[0]["unit price"]`. It is for people and stays readable: keys longer than 100 characters and
 * paths of more than 100 segments are cut, marked by `…`.
 */
export function formatJsonPath(segments: readonly (number | string)[]): string {
  const path = segments.slice(0, SEGMENT_LIMIT).reduce<string>((text, segment) => text + formatSegment(segment), "$");
  return segments.length > SEGMENT_LIMIT ? `${path}…` : path;
}

function formatSegment(segment: number | string): string {
  if (typeof segment === "number") return `[${segment}]`;
  if (segment.length > KEY_LIMIT) return `[${JSON.stringify(`${segment.slice(0, KEY_LIMIT)}…`)}]`;
  return IDENTIFIER.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}
