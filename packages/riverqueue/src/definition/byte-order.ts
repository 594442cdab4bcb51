/** Compares strings by their UTF-8 bytes. JavaScript's own order goes by UTF-16 units and differs above U+FFFF. */

/** Negative, zero or positive, for `Array.prototype.sort`. Well-formed strings only. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [unitA, unitB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters above U+FFFF and so sort after every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
