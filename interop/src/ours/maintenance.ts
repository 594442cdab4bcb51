/** The statements of a leader's services with the rows and limits that a test chooses, as the other side has them. */
import type { LeaderTerm } from "riverqueue";
import type { PeerDatabase } from "./database.ts";

type Driver = PeerDatabase["driver"];

/** One batch of the job cleaner over all finalized jobs; how many were deleted. */
export async function deleteBefore(
  driver: Driver,
  { limit, keepsCancelled = false }: { readonly limit: number; readonly keepsCancelled?: boolean },
): Promise<number | null> {
  const now = Temporal.Now.instant();
  return driver.jobs.deleteFinalized({
    term: await termOf(driver),
    cancelledBefore: keepsCancelled ? null : now,
    completedBefore: now,
    discardedBefore: now,
    limit,
  });
}

/** Makes a job retryable as the rescuer does with one that it has found running. */
export async function rescue(driver: Driver, { id }: { readonly id: string }): Promise<void> {
  const now = Temporal.Now.instant();
  const error = JSON.stringify({ at: now, attempt: 1, error: "Stuck job rescued by JobRescuer", trace: "" });
  await driver.jobs.rescue({
    term: await termOf(driver),
    horizon: now,
    rescues: [{ id: BigInt(id), state: "retryable", finalizedAt: null, scheduledAt: now, error, metadata: "{}" }],
  });
}

async function termOf(driver: Driver): Promise<LeaderTerm> {
  const term = (await driver.leader.elect({ clientId: "peer", ttlMs: 10_000 })) ?? (await driver.leader.current());
  if (term?.leaderId !== "peer") throw new Error("another client leads");
  return term;
}
