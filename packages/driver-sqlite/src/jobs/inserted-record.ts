/** The record of a job that was just inserted, made from the request: reading the row back would tell nothing new. */
import type { JobRecord, JobToInsert } from "riverqueue/driver";
import { roundToMilliseconds } from "../record/canonical-time.ts";

/** The row of `job` as stored. */
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
    scheduledAt: job.scheduledAt === null ? createdAt : storedTime(job.scheduledAt),
    attemptedAt: null,
    finalizedAt: null,
    uniqueKey: job.uniqueKey,
    uniqueStates: job.uniqueStates,
  };
}

function storedTime(instant: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(roundToMilliseconds(instant));
}
