/** The leader's other work on jobs: rescuing and cleaning up. */
import type { DeleteFinalizedParams, ListStuckParams, Rescue, RescueJobsParams } from "riverqueue/driver";
import { holdsTerm } from "../leader/fence.ts";
import { formatOptionalTime, formatTime } from "../record/canonical-time.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { DELETE_FINALIZED } from "../sql/jobs/delete-finalized.ts";
import { LIST_STUCK } from "../sql/jobs/list-stuck.ts";
import { RESCUE, STUCK_ROW } from "../sql/jobs/rescue.ts";
import { mergedMetadata } from "./merged-metadata.ts";

/** A page of running rows claimed before the horizon. */
export function listStuck(unit: Unit, { horizon, afterId, limit }: ListStuckParams): SqliteJobRecord[] {
  return unit.connection.rows(LIST_STUCK, formatTime(horizon), afterId, limit).map((row) => new SqliteJobRecord(row));
}

/** The number of rows rescued; null when the term is over. */
export function rescueJobs(unit: Unit, { term, horizon, rescues }: RescueJobsParams): number | null {
  if (!holdsTerm(unit, term)) return null;
  const before = formatTime(horizon);
  return rescues.filter((rescue) => rescueOne(unit, rescue, before)).length;
}

function rescueOne(unit: Unit, rescue: Rescue, before: string): boolean {
  const row = unit.connection.row(STUCK_ROW, rescue.id, before);
  if (row === undefined) return false;
  unit.connection.change(
    RESCUE,
    rescue.id,
    rescue.state,
    formatOptionalTime(rescue.finalizedAt),
    formatOptionalTime(rescue.scheduledAt),
    rescue.error,
    mergedMetadata(new SqliteJobRecord(row), rescue.metadata),
  );
  return true;
}

/** The number of rows deleted; null when the term is over. */
export function deleteFinalized(unit: Unit, params: DeleteFinalizedParams): number | null {
  if (!holdsTerm(unit, params.term)) return null;
  return unit.connection.change(
    DELETE_FINALIZED,
    formatOptionalTime(params.cancelledBefore),
    formatOptionalTime(params.completedBefore),
    formatOptionalTime(params.discardedBefore),
    params.limit,
  );
}
