/** How long tests of several processes wait in vain: they share a machine with whatever else is tested there. */
import type { DeadlineOptions } from "@riverqueue/internal-test-kit";

/** Limit of every wait, far beyond any lease or interval of either side. */
export const PATIENCE: DeadlineOptions = { deadlineMs: 100_000 };
