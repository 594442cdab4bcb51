/** Short ways to call a driver's verbs in a test: one job at a time, and an error where the test expected a row. */
import type { JobRecord, JobToInsert, LeaderTerm, RuntimeDriver, SettledJob, Settlement } from "riverqueue/driver";
import { newJob } from "./job-values.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- no verb here is given a transaction
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
  const [job] = await insert(driver, overrides);
  if (job === undefined) throw new Error("no job was inserted");
  return job;
}

/** Claims what is due in the default queue, by ID. */
export async function claim({ jobs }: Jobs, limit = 100, clientId = "client-1"): Promise<readonly JobRecord[]> {
  const claimed = await jobs.claim({ queue: "default", clientId, limit, kinds: null, hint: null });
  return claimed.jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Claims one job. */
export async function claimOne(driver: Jobs, clientId = "client-1"): Promise<JobRecord> {
  const [job] = await claim(driver, 1, clientId);
  if (job === undefined) throw new Error("no job was due");
  return job;
}

/** Settles one attempt. */
export async function settle({ jobs }: Jobs, settlement: Settlement, wantRows = false): Promise<SettledJob> {
  const [settled] = await jobs.settle({ settlements: [settlement], wantRows });
  if (settled === undefined) throw new Error("no result came back");
  return settled;
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
