/** The leader's other work on jobs: rescuing and cleaning up. */
import {
  deleteAround,
  type DeleteFinalizedParams,
  type DriverCall,
  type ListStuckParams,
  type Rescue,
  type RescueJobsParams,
} from "riverqueue/driver";
import { isRowCaused } from "../connection/pg-failure.ts";
import type { SqlTemplate } from "../connection/dialect.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { fencedCount, fenceValues } from "../leader/leader-term.ts";
import { formatOptionalTime, formatTime, timeJson } from "../record/pg-time.ts";
import { formatIds, idsOf } from "../record/ids.ts";
import { jobRecords, type PgJobRecord } from "../record/pg-job-record.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { DELETE_FINALIZED, DELETE_OLD, OLD } from "../sql/jobs/delete-finalized.ts";
import { LIST_STUCK } from "../sql/jobs/list-stuck.ts";
import { RESCUE } from "../sql/jobs/rescue.ts";

/** A page of running rows claimed before the horizon. */
export async function listStuck(unit: Unit, { horizon, afterId, limit }: ListStuckParams): Promise<PgJobRecord[]> {
  return jobRecords(await unit.rows(LIST_STUCK, formatTime(horizon), String(afterId), String(limit)));
}

/** The number of rows rescued; null when the term is over. A row that cannot be written costs only its own rescue. */
export async function rescueJobs(
  runner: PgRunner,
  params: RescueJobsParams,
  call: DriverCall<PgTransaction> | undefined,
): Promise<number | null> {
  try {
    return await runner.use("jobs.rescue", call, (unit) => rescue(unit, params));
  } catch (error) {
    if (!isRowCaused(error)) throw error;
    const { rescues, refusals } = params;
    const [only] = rescues;
    if (rescues.length === 1 && only !== undefined) {
      refusals?.note(only.id, error);
      return 0;
    }
    const middle = rescues.length >> 1;
    const first = await rescueJobs(runner, { ...params, rescues: rescues.slice(0, middle) }, call);
    const second = await rescueJobs(runner, { ...params, rescues: rescues.slice(middle) }, call);
    return first === null || second === null ? null : first + second;
  }
}

async function rescue(unit: Unit, { term, horizon, rescues }: RescueJobsParams): Promise<number | null> {
  const json = `[${rescues.map(rescueJson).join(",")}]`;
  return fencedCount(await unit.row(RESCUE, ...fenceValues(unit, term), formatTime(horizon), json));
}

function rescueJson({ id, state, finalizedAt, scheduledAt, error, metadata }: Rescue): string {
  return (
    `{"id":${id},"state":"${state}","finalized_at":${timeJson(finalizedAt)},"scheduled_at":${timeJson(scheduledAt)},` +
    `"error":${error},"metadata":${metadata}}`
  );
}

/** The number of rows deleted; null when the term is over. A row that cannot be deleted costs only itself. */
export async function deleteFinalized(
  runner: PgRunner,
  params: DeleteFinalizedParams,
  call: DriverCall<PgTransaction> | undefined,
): Promise<number | null> {
  const { term, cancelledBefore, completedBefore, discardedBefore, limit, refusals } = params;
  const times = [cancelledBefore, completedBefore, discardedBefore].map(formatOptionalTime);
  const use = <T>(body: (unit: Unit) => Promise<T>): Promise<T> => runner.use("jobs.deleteFinalized", call, body);
  const deletion = async (unit: Unit, template: SqlTemplate, which: string): Promise<number | null> =>
    fencedCount(await unit.row(template, ...fenceValues(unit, term), ...times, which));
  if ((refusals?.known ?? []).length === 0) {
    try {
      return await use((unit) => deletion(unit, DELETE_FINALIZED, String(limit)));
    } catch (error) {
      if (!isRowCaused(error)) throw error;
    }
  }
  return deleteAround(limit, refusals, {
    old: (after, count, except) =>
      use(async (unit) => idsOf(await unit.rows(OLD, ...times, String(after ?? 0n), formatIds(except), String(count)))),
    delete: (ids) => use((unit) => deletion(unit, DELETE_OLD, formatIds(ids))),
  });
}
