/** What the tests of this repository share: databases, clocks, waiting, child processes, comparisons. Never published. */
export { failOnLeaks } from "./fail-on-leaks.ts";
export { fleetSeed } from "./fleet-seed.ts";
export { type LeasedSqliteDatabase, leaseSqliteDatabase } from "./lease-sqlite-database.ts";
export { ManualClock } from "./manual-clock.ts";
export { plain, type PlainValue, sameInstant } from "./plain.ts";
export { pollUntil } from "./poll-until.ts";
export { seededRandom } from "./seeded-random.ts";
export { type NodeExit, type SpawnedNode, spawnNode, type SpawnNodeOptions } from "./spawn-node.ts";
export { scaled, testScale } from "./test-scale.ts";
export { temporaryFolder } from "./temporary-folder.ts";
export { waitForEvent, waitForItem } from "./wait-for.ts";
export { DEFAULT_DEADLINE_MS, type DeadlineOptions, withDeadline } from "./with-deadline.ts";
