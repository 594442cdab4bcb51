/** Finds the known name that a misspelt one most likely stood for. */

/** The nearest of `known` that a slip or two turn `name` into, case aside; null when none is that near. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const most = Math.max(1, Math.floor(name.length / 3));
  const [nearest] = [...known]
    .map((candidate) => ({ candidate, slips: countSlips(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips);
  return nearest?.candidate ?? null;
}

/** Letters to insert, leave out, replace, or exchange with the next one, to get from `from` to `to`. */
function countSlips(from: string, to: string): number {
  const table = Array.from({ length: from.length + 1 }, (_, row) => [row]);
  const at = (row: number, column: number): number => table[row]?.[column] ?? Infinity;
  for (let column = 1; column <= to.length; column++) table[0]?.push(column);
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const exchanged = swapped ? at(row - 2, column - 2) + 1 : Infinity;
      table[row]?.push(Math.min(replaced, exchanged, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
