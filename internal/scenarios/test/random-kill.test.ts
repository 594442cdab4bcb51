/**
 * Several processes of one database, killed at random while jobs keep coming: nothing is lost, done twice after it was
 * finished, or written by who lost it. `RIVER_FLEET_SEED` runs the kills and the plans of an earlier run again.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, fleetSeed, leaseSqliteDatabase, testScale } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { auditFleet } from "../src/fleet/audit-fleet.ts";
import type { FleetBackend } from "../src/fleet/fleet-store.ts";
import { runRandomKill } from "../src/fleet/random-kill.ts";

failOnLeaks();

const [JOBS, DURATION_MS] = [50_000 / testScale, 300_000 / testScale];
/** For what is left after the last kill; the machine may be a slow one. */
const DRAIN_MS = 90_000 + 300_000 / testScale;

test("JS-14 JS-60 four processes killed at random on SQLite end every job once, as its last attempt says", async (t) => {
  const { path } = await leaseSqliteDatabase(t);
  await killAtRandom(t, "sqlite", path, 4);
});

postgresTest(
  "JS-14 JS-60 six processes killed at random on Postgres end every job once, as its last attempt says",
  async (t) => {
    const { url } = await leasePostgresDatabase(t);
    await killAtRandom(t, "postgres", url, 6);
  },
);

async function killAtRandom(t: TestContext, backend: FleetBackend, address: string, processes: number): Promise<void> {
  const seed = fleetSeed(t);
  const jobs = Math.ceil(JOBS);
  const { record, killed, badExits, unfinished } = await runRandomKill(t, {
    backend,
    address,
    seed,
    processes,
    jobs,
    durationMs: DURATION_MS,
    scale: testScale,
    drainMs: DRAIN_MS,
  });
  assert.deepEqual(badExits, []);
  assert.equal(unfinished, 0);
  const { faults, seen } = auditFleet(record, killed, jobs);
  t.diagnostic(`${killed.size} kills, ${JSON.stringify(seen)}`);
  assert.deepEqual(faults, []);
  // The run was worth its while: processes died in the midst of attempts, and results came too late.
  assert.ok(killed.size > 0 && seen.rescuedFromKilled > 0 && seen.lateResults > 0, JSON.stringify(seen));
}
