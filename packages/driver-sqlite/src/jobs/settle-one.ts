/** Settling one attempt after a look at its row. */
import type { JobState, SettledJob, Settlement } from "riverqueue/driver";
import type { SqliteRow } from "../connection/sqlite-connection.ts";
import { formatOptionalTime } from "../record/canonical-time.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { DELETE_SETTLED, SETTLE_ONE, SETTLING_ROW } from "../sql/jobs/settle.ts";
import { UPDATE_METADATA } from "../sql/jobs/update.ts";
import { mergedMetadata } from "./merged-metadata.ts";

/** Columns that `SETTLING_ROW` adds after those of the job. */
const EXTRA_COLUMNS = 3;

/** Writes `settlement` if its attempt owns the row, merges its metadata if the attempt did until it was ended elsewhere. */
export function settleOne(unit: Unit, settlement: Settlement): SettledJob {
  const row = unit.connection.row(SETTLING_ROW, settlement.id);
  if (row === undefined) return { id: settlement.id, outcome: "missing", state: null, job: null };
  const job = new SqliteJobRecord(row);
  if (!isSameAttempt(row, job, settlement)) return settled(job, "superseded");
  if (job.state === "running") return settled(writeEnd(unit, job, settlement, isMarked(row)), "settled");
  const metadata = settlement.metadata === null ? null : mergedMetadata(job, settlement.metadata);
  if (metadata === null) return settled(job, "merged");
  return settled(requireRow(unit.connection.row(UPDATE_METADATA, settlement.id, metadata)), "merged");
}

/** Same attempt number and client. A list of clients that was damaged leaves the number to decide. */
function isSameAttempt(row: SqliteRow, job: SqliteJobRecord, { attempt, clientId }: Settlement): boolean {
  const [lastClient, readable] = row.slice(-EXTRA_COLUMNS);
  return job.attempt === attempt && (readable === 0n || lastClient === clientId);
}

function isMarked(row: SqliteRow): boolean {
  return row.at(-1) === 1n;
}

function writeEnd(unit: Unit, job: SqliteJobRecord, settlement: Settlement, marked: boolean): SqliteJobRecord {
  const cancelled = marked && isUnfinished(settlement.state);
  const ended = unit.connection.row(
    SETTLE_ONE,
    settlement.id,
    cancelled ? "cancelled" : settlement.state,
    cancelled ? null : settlement.newAttempt,
    cancelled ? unit.now : formatOptionalTime(settlement.finalizedAt),
    cancelled ? null : formatOptionalTime(settlement.scheduledAt),
    settlement.error,
    settlement.metadata === null ? null : mergedMetadata(job, settlement.metadata),
  );
  if (settlement.deleteRow) unit.connection.change(DELETE_SETTLED, settlement.id);
  return requireRow(ended);
}

/** The job would run again, which a request to cancel it forbids. */
function isUnfinished(state: JobState): boolean {
  return state === "available" || state === "retryable" || state === "scheduled";
}

function requireRow(row: SqliteRow | undefined): SqliteJobRecord {
  if (row === undefined) throw new RangeError("the database returned no row for an update of an existing one");
  return new SqliteJobRecord(row);
}

function settled(job: SqliteJobRecord, outcome: SettledJob["outcome"]): SettledJob {
  return { id: job.id, outcome, state: job.state, job };
}
