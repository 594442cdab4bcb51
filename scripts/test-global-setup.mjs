// Runs once before all test files: settles and prints the scale of the run.

const DEFAULT_SCALE = 20;

/** Checks RIVER_TEST_SCALE and hands the value in force to the test processes. */
export function globalSetup() {
  const text = process.env.RIVER_TEST_SCALE ?? String(DEFAULT_SCALE);
  const scale = Number(text);
  if (!(Number.isFinite(scale) && scale >= 1)) {
    throw new Error(`RIVER_TEST_SCALE must be a number of at least 1, and is ${JSON.stringify(text)}`);
  }
  process.env.RIVER_TEST_SCALE = String(scale);
  console.log(`node ${process.versions.node}, test scale ${scale}: intervals of the product divided by ${scale}`);
}
