/** Paths of `unique.byArgs`: keys joined by dots, where a backslash makes the next character literal. */

/** Keys of `path` from the root; the last is empty when the path ends in a lone backslash. */
export function splitArgsPath(path: string): string[] {
  const segments: string[] = [];
  let segment = "";
  for (let index = 0; index < path.length; index++) {
    const character = path.charAt(index);
    const endsInBackslash = character === "\\" && index === path.length - 1;
    if (character === "." || endsInBackslash) {
      segments.push(segment);
      segment = "";
    } else {
      segment += character === "\\" ? path.charAt(++index) : character;
    }
  }
  return [...segments, segment];
}

/**
 * The first segment of `path` that cannot be used, or null. River for Go takes numbers and `-1` for positions in an
 * array and cannot take an empty key at all.
 */
export function unusableSegment(path: string): string | null {
  const segments = splitArgsPath(path);
  return segments.find((segment) => segment === "" || segment === "-1" || /^\d+$/.test(segment)) ?? null;
}
