/** Changes that an application asks for, one job at a time. */
import { cancelNotice, type ChangeJobResult, type DeleteJobResult, type JobRecord } from "riverqueue/driver";
import { isUniqueViolation } from "../connection/sqlite-failure.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { CANCEL } from "../sql/jobs/cancel.ts";
import { DELETE } from "../sql/jobs/delete.ts";
import { GET } from "../sql/jobs/get.ts";
import { OTHER_HOLDER } from "../sql/jobs/holders.ts";
import { RETRY } from "../sql/jobs/retry.ts";
import { UPDATE_METADATA } from "../sql/jobs/update.ts";
import { mergedMetadata } from "./merged-metadata.ts";

/** The job, or null. */
export function getJob(unit: Unit, id: bigint): SqliteJobRecord | null {
  const row = unit.connection.row(GET, id);
  return row === undefined ? null : new SqliteJobRecord(row);
}

/** Cancels a job that is not finalized and tells every client. */
export function cancelJob(unit: Unit, id: bigint, requestedAt: Temporal.Instant): ChangeJobResult {
  return unlessConflict(unit, id, () => {
    const row = unit.connection.row(CANCEL, id, unit.now, cancelMark(unit, requestedAt));
    if (row === undefined) return unchanged(unit, id);
    const job = new SqliteJobRecord(row);
    unit.send([cancelNotice(id, job.queue)]);
    return { outcome: "done", job };
  });
}

/**
 * The time to mark a job with. A request that waited for the lock may be older than the claim that was quicker, which it
 * is meant for all the same.
 */
function cancelMark({ nowMs }: Unit, requestedAt: Temporal.Instant): string {
  const isOutdated = requestedAt.epochMilliseconds < nowMs;
  return (isOutdated ? Temporal.Instant.fromEpochMilliseconds(nowMs) : requestedAt).toString();
}

/** Makes a job available now unless it is running or available already. */
export function retryJob(unit: Unit, id: bigint): ChangeJobResult {
  return unlessConflict(unit, id, () => {
    const row = unit.connection.row(RETRY, id, unit.now);
    return row === undefined ? unchanged(unit, id) : { outcome: "done", job: new SqliteJobRecord(row) };
  });
}

/** Merges metadata at its top level. */
export function updateJob(unit: Unit, id: bigint, metadata: string): JobRecord | null {
  const job = getJob(unit, id);
  if (job === null) return null;
  const merged = mergedMetadata(job, metadata);
  const row = merged === null ? undefined : unit.connection.row(UPDATE_METADATA, id, merged);
  return row === undefined ? job : new SqliteJobRecord(row);
}

/** Deletes a job unless it is running. */
export function deleteJob(unit: Unit, id: bigint): DeleteJobResult {
  const row = unit.connection.row(DELETE, id);
  if (row !== undefined) return { outcome: "done", job: new SqliteJobRecord(row) };
  return { outcome: getJob(unit, id) === null ? "missing" : "running" };
}

function unchanged(unit: Unit, id: bigint): ChangeJobResult {
  const job = getJob(unit, id);
  return job === null ? { outcome: "missing" } : { outcome: "done", job };
}

/** SQLite undoes a statement that violates an index by itself, so nothing of it is left. */
function unlessConflict(unit: Unit, id: bigint, change: () => ChangeJobResult): ChangeJobResult {
  try {
    return change();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const holder = unit.connection.row(OTHER_HOLDER, id)?.[0];
    return { outcome: "unique_conflict", holderId: typeof holder === "bigint" ? holder : null };
  }
}
