/** Works through more rows than one statement should touch. */
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Tenure } from "./tenure.ts";

/** Bounds of the pause between two batches, in milliseconds; the upper one is never reached. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1000];

/** What one batch did. */
export interface BatchResult {
  /** Rows acted on. */
  readonly acted: number;
  /** The batch was full, so there may be more rows. */
  readonly more: boolean;
}

/**
 * Runs batches with random pauses between them until there is no more, and returns the rows acted on; null when the term
 * is over.
 */
export async function runBatches(
  environment: Environment,
  tenure: Tenure,
  batch: () => Promise<BatchResult | null>,
): Promise<number | null> {
  let total = 0;
  for (;;) {
    const result = await batch();
    if (result === null) return null;
    total += result.acted;
    if (!result.more) return total;
    const spread = (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS) * environment.random();
    await pause(environment.clock, SHORTEST_PAUSE_MS + spread, tenure.signal);
    if (!tenure.holds()) return null;
  }
}
