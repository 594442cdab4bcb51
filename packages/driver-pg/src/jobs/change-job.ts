/** Changes that an application asks for, one job at a time. Each is one statement. */
import type { ChangeJobResult, DeleteJobResult, DriverCall, JobRecord } from "riverqueue/driver";
import type { SqlTemplate } from "../connection/dialect.ts";
import { isUniqueKeyConflict } from "../connection/pg-failure.ts";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { JOB_COLUMN_COUNT, PgJobRecord } from "../record/pg-job-record.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { CANCEL } from "../sql/jobs/cancel.ts";
import { DELETE } from "../sql/jobs/delete.ts";
import { GET } from "../sql/jobs/get.ts";
import { OTHER_HOLDER } from "../sql/jobs/holders.ts";
import { RETRY } from "../sql/jobs/retry.ts";
import { UPDATE_METADATA } from "../sql/jobs/update.ts";

type Call = DriverCall<PgTransaction> | undefined;

/** The job, or null. */
export async function getJob(unit: Unit, id: bigint): Promise<JobRecord | null> {
  return recordOf(await unit.row(GET, String(id)));
}

/** Cancels a job that is not finalized and tells every client. */
export function cancelJob(
  runner: PgRunner,
  id: bigint,
  requestedAt: Temporal.Instant,
  call: Call,
): Promise<ChangeJobResult> {
  return change(runner, "jobs.cancel", CANCEL, id, (unit) => [String(id), unit.now, requestedAt.toString()], call);
}

/** Makes a job available now unless it is running or available already. */
export function retryJob(runner: PgRunner, id: bigint, call: Call): Promise<ChangeJobResult> {
  return change(runner, "jobs.retry", RETRY, id, (unit) => [String(id), unit.now], call);
}

/** Merges metadata at its top level. */
export async function updateJob(unit: Unit, id: bigint, metadata: string): Promise<JobRecord | null> {
  return recordOf(await unit.row(UPDATE_METADATA, String(id), metadata));
}

/** Deletes a job unless it is running. */
export async function deleteJob(unit: Unit, id: bigint): Promise<DeleteJobResult> {
  const row = await unit.row(DELETE, String(id));
  if (row === undefined) return { outcome: "missing" };
  return row[JOB_COLUMN_COUNT] === "true" ? { outcome: "done", job: new PgJobRecord(row) } : { outcome: "running" };
}

async function change(
  runner: PgRunner,
  operation: string,
  template: SqlTemplate,
  id: bigint,
  values: (unit: Unit) => readonly PgValue[],
  call: Call,
): Promise<ChangeJobResult> {
  try {
    const job = await runner.use(operation, call, async (unit) => recordOf(await unit.row(template, ...values(unit))));
    return job === null ? { outcome: "missing" } : { outcome: "done", job };
  } catch (error) {
    if (!isUniqueKeyConflict(error)) throw error;
    return { outcome: "unique_conflict", holderId: await findHolder(runner, operation, id, call) };
  }
}

/** The violation has aborted a transaction of the caller's, so nothing can be read in it any more. */
async function findHolder(runner: PgRunner, operation: string, id: bigint, call: Call): Promise<bigint | null> {
  if (call?.scope !== undefined) return null;
  const row = await runner.use(operation, call, (unit) => unit.row(OTHER_HOLDER, String(id)));
  return typeof row?.[0] === "string" ? BigInt(row[0]) : null;
}

function recordOf(row: PgRow | undefined): JobRecord | null {
  return row === undefined ? null : new PgJobRecord(row);
}
