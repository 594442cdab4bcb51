/** A periodic job for each slot of a common grid of time, and what is found of them. */
import { type ClientOptions, defineJob, type JobDefinition, type JsonObject, periodicJob, Workers } from "riverqueue";

const slot: JobDefinition<JsonObject, JsonObject, "slot"> = defineJob({ kind: "slot" });

/** A client that bids often and inserts one job a slot, with the name of its process in the arguments. Works none of them. */
export function leadingOptions(name: string, slotMs: number): ClientOptions {
  const next = (after: Temporal.Instant): Temporal.Instant =>
    Temporal.Instant.fromEpochMilliseconds((Math.floor(after.epochMilliseconds / slotMs) + 1) * slotMs);
  return {
    queues: { unused: { maxWorkers: 1 } },
    workers: new Workers().add(slot, () => {}),
    maintenance: { electionInterval: { milliseconds: slotMs } },
    periodicJobs: [periodicJob({ job: slot, id: "each_slot", schedule: { next }, args: { by: name } })],
  };
}

/** What a leader has inserted. */
export interface Slot {
  readonly id: bigint;
  readonly by: string;
  readonly atMs: number;
}

/** Reads the jobs of all slots, in the order inserted. */
export const SLOTS = `SELECT id, args ->> 'by' AS by, (extract(epoch FROM scheduled_at) * 1000)::bigint AS at_ms
  FROM river_job WHERE kind = 'slot' ORDER BY id`;

/** A row of {@link SLOTS}. */
export function readSlot(row: Readonly<Record<string, unknown>>): Slot {
  return { id: BigInt(row["id"] as string), by: row["by"] as string, atMs: Number(row["at_ms"]) };
}
