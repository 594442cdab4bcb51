/** Short ways to call a driver's verbs in a test: one job at a time, and an error where there is not exactly one. */
import type {
  DriverCall,
  JobRecord,
  JobToInsert,
  LeaderTerm,
  RuntimeDriver,
  SettledJob,
  Settlement,
} from "riverqueue/driver";
import { newJob } from "./job-values.ts";
import { only } from "./only.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a transaction is passed on, of whatever kind
type Jobs = Pick<RuntimeDriver<any>, "jobs">;
// oxlint-disable-next-line typescript/no-explicit-any -- as above
type Leader = Pick<RuntimeDriver<any>, "leader">;

/** A unique key that differs for each `seed`. */
export function keyOf(seed: number): Uint8Array {
  return new Uint8Array(32).fill(seed);
}

/** Inserts and returns the records. */
export async function insert({ jobs }: Jobs, ...overrides: readonly Partial<JobToInsert>[]): Promise<JobRecord[]> {
  const inserted = await jobs.insert({ jobs: overrides.map(newJob), notices: [], durability: "default" });
  return inserted.map(({ job }) => job);
}

/** Inserts one job and returns its record. */
export async function insertOne(driver: Jobs, overrides: Partial<JobToInsert> = {}): Promise<JobRecord> {
  return only(await insert(driver, overrides));
}

/** Claims what is due in the default queue, by ID. */
export async function claim(
  { jobs }: Jobs,
  limit = 100,
  clientId = "client-1",
  call?: DriverCall<unknown>,
): Promise<JobRecord[]> {
  const claimed = await jobs.claim({ queue: "default", clientId, limit, kinds: null, hint: null }, call);
  return claimed.jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Claims one job. */
export async function claimOne(driver: Jobs, clientId = "client-1"): Promise<JobRecord> {
  return only(await claim(driver, 1, clientId));
}

/** Settles one attempt. */
export async function settle(
  { jobs }: Jobs,
  settlement: Settlement,
  wantRows = false,
  call?: DriverCall<unknown>,
): Promise<SettledJob> {
  return only(await jobs.settle({ settlements: [settlement], wantRows }, call));
}

/** The row as it is now. */
export async function read({ jobs }: Jobs, id: bigint): Promise<JobRecord> {
  const job = await jobs.get({ id });
  if (job === null) throw new Error(`job ${id} is gone`);
  return job;
}

/** A term that holds for a minute. */
export async function lead({ leader }: Leader, clientId = "client-1"): Promise<LeaderTerm> {
  const term = await leader.elect({ clientId, ttlMs: 60_000 });
  if (term === null) throw new Error("somebody else leads");
  return term;
}
