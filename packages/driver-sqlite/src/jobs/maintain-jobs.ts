/** The leader's other work on jobs: rescuing and cleaning up. */
import type { DatabaseSync } from "node:sqlite";
import {
  deleteAround,
  type DeleteFinalizedParams,
  type DriverCall,
  type ListStuckParams,
  type Rescue,
  type RescueJobsParams,
} from "riverqueue/driver";
import { isRowCaused } from "../connection/sqlite-failure.ts";
import { holdsTerm } from "../leader/fence.ts";
import { formatOptionalTime, formatTime } from "../record/canonical-time.ts";
import { formatIds, idsOf } from "../record/ids.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { DELETE_FINALIZED, DELETE_OLD, OLD } from "../sql/jobs/delete-finalized.ts";
import { LIST_STUCK } from "../sql/jobs/list-stuck.ts";
import { RESCUE, STUCK_ROW } from "../sql/jobs/rescue.ts";
import { mergedMetadata } from "./merged-metadata.ts";

const OPERATION = "jobs.deleteFinalized";

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

/** The number of rows deleted; null when the term is over. A row that cannot be deleted costs only itself. */
export async function deleteFinalized(
  runner: UnitRunner,
  params: DeleteFinalizedParams,
  call: DriverCall<DatabaseSync> | undefined,
): Promise<number | null> {
  const { term, cancelledBefore, completedBefore, discardedBefore, limit, refusals } = params;
  const [cancelled, completed, discarded] = [cancelledBefore, completedBefore, discardedBefore].map(formatOptionalTime);
  const times = [cancelled ?? null, completed ?? null, discarded ?? null] as const;
  const deletion = (text: string, which: number | string): Promise<number | null> =>
    runner.transact(OPERATION, call, (unit) =>
      holdsTerm(unit, term) ? unit.connection.change(text, ...times, which) : null,
    );
  if ((refusals?.known ?? []).length === 0) {
    try {
      return await deletion(DELETE_FINALIZED, limit);
    } catch (error) {
      if (!isRowCaused(error)) throw error;
    }
  }
  return deleteAround(limit, refusals, {
    old: (after, count, except) =>
      runner.read(OPERATION, call, ({ connection }) =>
        idsOf(connection.rows(OLD, ...times, count, after ?? 0n, formatIds(except))),
      ),
    delete: (ids) => deletion(DELETE_OLD, formatIds(ids)),
  });
}
