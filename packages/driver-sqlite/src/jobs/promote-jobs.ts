/** Promotion: due jobs become available, those whose unique key is taken are discarded. */
import type { DatabaseSync } from "node:sqlite";
import {
  type DriverCall,
  planPromotion,
  type PromotableJob,
  type PromoteJobsParams,
  type PromoteJobsResult,
  type PromotionPlan,
  type Refusals,
  SplitBudget,
} from "riverqueue/driver";
import { isRowCaused, translateFailure } from "../connection/sqlite-failure.ts";
import { holdsTerm } from "../leader/fence.ts";
import { formatTime } from "../record/canonical-time.ts";
import { formatIds } from "../record/ids.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { DUE, KEY_HOLDERS, LANES, SET_AVAILABLE, SET_DISCARDED } from "../sql/jobs/promote.ts";

/** A due row. */
interface DueJob extends PromotableJob {
  readonly queue: string;
  readonly priority: bigint;
  /** Canonical text. */
  readonly scheduledAt: string;
}

/** Null when the term is over. A row that cannot be written costs only itself. */
export async function promoteJobs(
  runner: UnitRunner,
  params: PromoteJobsParams,
  call: DriverCall<DatabaseSync> | undefined,
): Promise<PromoteJobsResult | null> {
  const promotion = (write: Write): Promise<PromoteJobsResult | null> =>
    runner.transact("jobs.promote", call, (unit) => promote(unit, params, write));
  try {
    return await promotion((_, jobs, act) => {
      if (jobs.length > 0) act(idsJson(jobs));
      return jobs;
    });
  } catch (error) {
    if (!isRowCaused(error)) throw error;
    const budget = new SplitBudget();
    return promotion((unit, jobs, act) => writeAround(unit, jobs, act, budget, params.refusals));
  }
}

/** Writes jobs by the JSON array of their IDs; those that were written. */
type Write = (unit: Unit, jobs: readonly DueJob[], act: (ids: string) => void) => readonly DueJob[];

/** Runs inside one transaction. */
function promote(unit: Unit, params: PromoteJobsParams, write: Write): PromoteJobsResult | null {
  if (!holdsTerm(unit, params.term)) return null;
  const { connection } = unit;
  const planned = plan(unit, params);
  const setAvailable = (ids: string): void => void connection.change(SET_AVAILABLE, ids);
  const discarded = write(unit, planned.discard, (ids) =>
    connection.change(SET_DISCARDED, ids, formatTime(params.passAt)),
  );
  const open = write(
    unit,
    planned.promote.filter((job) => !hasKey(job)),
    setAvailable,
  );
  // One by one in order: a row may take a key that one before it gives up.
  const keyed = planned.promote.filter(hasKey).flatMap((job) => write(unit, [job], setAvailable));
  const promoted = [...open, ...keyed];
  unit.send(params.noticesFor(queuesDue(promoted, formatTime(params.noticeBy))));
  return {
    taken: planned.promote.length + planned.discard.length,
    promoted: promoted.length,
    discarded: discarded.length,
    skipped: planned.skip.map(({ id }) => id),
  };
}

/** Writes by ever smaller parts what a row spoils for the others. A statement that fails leaves nothing of itself. */
function writeAround(
  unit: Unit,
  jobs: readonly DueJob[],
  act: (ids: string) => void,
  budget: SplitBudget,
  refusals: Refusals | undefined,
): readonly DueJob[] {
  const [only] = jobs;
  if (only === undefined) return [];
  try {
    act(idsJson(jobs));
    return jobs;
  } catch (error) {
    // A trigger may have ended the whole transaction.
    if (!isRowCaused(error) || !unit.connection.database.isTransaction) throw error;
    if (jobs.length === 1) refusals?.note(only.id, translateFailure(error, "jobs.promote"));
    if (jobs.length === 1 || !budget.take()) return [];
    const middle = jobs.length >> 1;
    return [jobs.slice(0, middle), jobs.slice(middle)].flatMap((half) =>
      writeAround(unit, half, act, budget, refusals),
    );
  }
}

function hasKey(job: DueJob): boolean {
  return job.uniqueKey !== null;
}

/** Looks further as long as rows that must be left alone use up the limit. */
function plan(unit: Unit, { dueBy: by, limit, refusals }: PromoteJobsParams): PromotionPlan<DueJob> {
  const dueBy = formatTime(by);
  const refused = new Set(refusals?.known);
  const lanes = unit.connection.rows(LANES);
  for (let window = limit; ; window *= 2) {
    const due = lanes.flatMap(([state, queue, priority]) =>
      unit.connection.rows(DUE, state as string, queue as string, priority as bigint, dueBy, window).map(dueJob),
    );
    const inOrder = due.toSorted(compareDue).slice(0, window);
    const open = refused.size === 0 ? inOrder : inOrder.filter(({ id }) => !refused.has(id));
    const planned = planPromotion(open, findHolders(unit, open), limit);
    const moved = planned.promote.length + planned.discard.length;
    if (moved === limit || inOrder.length < window) return planned;
  }
}

function dueJob([id, queue, priority, scheduledAt, uniqueStates, uniqueKey]: readonly unknown[]): DueJob {
  return {
    id: id as bigint,
    queue: queue as string,
    priority: priority as bigint,
    scheduledAt: scheduledAt as string,
    uniqueStates: uniqueStates === null ? null : Number(uniqueStates),
    uniqueKey: uniqueKey === "" ? null : (uniqueKey as string),
  };
}

/** By priority, then time, then ID. */
function compareDue(a: DueJob, b: DueJob): number {
  if (a.priority !== b.priority) return a.priority < b.priority ? -1 : 1;
  if (a.scheduledAt !== b.scheduledAt) return a.scheduledAt < b.scheduledAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function findHolders(unit: Unit, due: readonly DueJob[]): Map<string, bigint> {
  const keys = due.flatMap(({ uniqueKey }) => (uniqueKey === null ? [] : [uniqueKey]));
  if (keys.length === 0) return new Map();
  return new Map(
    unit.connection.rows(KEY_HOLDERS, JSON.stringify(keys)).map(([id, key]) => [key as string, id as bigint]),
  );
}

function idsJson(jobs: readonly DueJob[]): string {
  return formatIds(jobs.map(({ id }) => id));
}

function queuesDue(jobs: readonly DueJob[], noticeBy: string): string[] {
  return [...new Set(jobs.filter(({ scheduledAt }) => scheduledAt <= noticeBy).map(({ queue }) => queue))];
}
