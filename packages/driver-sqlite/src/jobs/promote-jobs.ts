/** Promotion: due jobs become available, those whose unique key is taken are discarded. */
import {
  planPromotion,
  type PromotableJob,
  type PromoteJobsParams,
  type PromoteJobsResult,
  type PromotionPlan,
} from "riverqueue/driver";
import { holdsTerm } from "../leader/fence.ts";
import { formatTime } from "../record/canonical-time.ts";
import type { Unit } from "../scope/unit.ts";
import { DUE, KEY_HOLDERS, LANES, SET_AVAILABLE, SET_DISCARDED } from "../sql/jobs/promote.ts";

/** A due row. */
interface DueJob extends PromotableJob {
  readonly queue: string;
  readonly priority: bigint;
  /** Canonical text. */
  readonly scheduledAt: string;
}

/** Runs inside one transaction. Null when the term is over. */
export function promoteJobs(unit: Unit, params: PromoteJobsParams): PromoteJobsResult | null {
  if (!holdsTerm(unit, params.term)) return null;
  const { promote, discard, skip } = plan(unit, formatTime(params.dueBy), params.limit);
  setState(unit, discard, (ids) => unit.connection.change(SET_DISCARDED, ids, formatTime(params.passAt)));
  setState(
    unit,
    promote.filter((job) => !hasKey(job)),
    (ids) => unit.connection.change(SET_AVAILABLE, ids),
  );
  // One by one in order: a row may take a key that one before it gives up.
  for (const { id } of promote.filter(hasKey)) unit.connection.change(SET_AVAILABLE, `[${id}]`);
  unit.send(params.noticesFor(queuesDue(promote, formatTime(params.noticeBy))));
  return {
    taken: promote.length + discard.length,
    promoted: promote.length,
    discarded: discard.length,
    skipped: skip.map(({ id }) => id),
  };
}

function hasKey(job: DueJob): boolean {
  return job.uniqueKey !== null;
}

/** Looks further as long as rows that must be left alone use up the limit. */
function plan(unit: Unit, dueBy: string, limit: number): PromotionPlan<DueJob> {
  const lanes = unit.connection.rows(LANES);
  for (let window = limit; ; window *= 2) {
    const due = lanes.flatMap(([state, queue, priority]) =>
      unit.connection.rows(DUE, state as string, queue as string, priority as bigint, dueBy, window).map(dueJob),
    );
    const inOrder = due.toSorted(compareDue).slice(0, window);
    const planned = planPromotion(inOrder, findHolders(unit, inOrder), limit);
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

function setState(unit: Unit, jobs: readonly DueJob[], change: (ids: string) => number): void {
  if (jobs.length > 0) change(`[${jobs.map(({ id }) => id).join(",")}]`);
}

function queuesDue(jobs: readonly DueJob[], noticeBy: string): string[] {
  return [...new Set(jobs.filter(({ scheduledAt }) => scheduledAt <= noticeBy).map(({ queue }) => queue))];
}
