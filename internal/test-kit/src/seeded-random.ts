/** Chance that can be had again: the same seed and parts give the same numbers, in every process. */

/**
 * A source of numbers in [0, 1).
 *
 * @param seed - names the run.
 * @param parts - name what the numbers are for, so that different uses do not disturb each other.
 */
export function seededRandom(seed: string, ...parts: readonly (number | string)[]): () => number {
  let state = hash([seed, ...parts].join("\0"));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a over the code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}
