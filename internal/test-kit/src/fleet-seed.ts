/** The seed of a test that kills processes at random. */
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";

/** `RIVER_FLEET_SEED`, which draws as an earlier run did; without it a new one. Either is named in the test's output. */
export function fleetSeed(t: TestContext): string {
  const seed = process.env["RIVER_FLEET_SEED"] ?? randomUUID();
  t.diagnostic(`RIVER_FLEET_SEED=${seed}`);
  return seed;
}
