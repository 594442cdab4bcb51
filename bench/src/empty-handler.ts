/** The empty task of every pool that is measured. */
export function nothing(): void {}
