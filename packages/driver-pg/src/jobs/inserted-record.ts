/** The record of a job that was just inserted, made from the request: reading the row back would tell nothing new. */
import type { JobRecord, JobToInsert } from "riverqueue/driver";

/** The row of `job` as stored, but for the form that the database gives to JSON. */
export function insertedRecord(job: JobToInsert, id: bigint, createdAt: Temporal.Instant): JobRecord {
  return {
    id,
    kind: job.kind,
    queue: job.queue,
    state: job.state,
    priority: job.priority,
    attempt: 0,
    maxAttempts: job.maxAttempts,
    args: job.args,
    metadata: job.metadata,
    errors: "[]",
    tags: job.tags,
    attemptedBy: [],
    createdAt,
    scheduledAt: job.scheduledAt?.round({ smallestUnit: "microsecond", roundingMode: "floor" }) ?? createdAt,
    attemptedAt: null,
    finalizedAt: null,
    uniqueKey: job.uniqueKey,
    uniqueStates: job.uniqueStates,
  };
}
