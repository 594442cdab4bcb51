/** How much shorter than in production the product's own intervals are in a test run. */

const DEFAULT_SCALE = 20;

/** Divisor for intervals: `RIVER_TEST_SCALE`, 20 unless set, 1 for the real intervals. */
export const testScale: number = readScale(process.env["RIVER_TEST_SCALE"]);

/** A production interval in milliseconds as this test run has it. */
export function scaled(ms: number): number {
  return ms / testScale;
}

function readScale(text: string | undefined): number {
  const scale = text === undefined ? DEFAULT_SCALE : Number(text);
  if (Number.isFinite(scale) && scale >= 1) return scale;
  throw new Error(`RIVER_TEST_SCALE must be a number of at least 1, and is ${JSON.stringify(text)}`);
}
