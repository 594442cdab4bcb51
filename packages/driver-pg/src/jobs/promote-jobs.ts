/** Promotion: due jobs become available, those whose unique key is taken are discarded. */
import {
  type DriverCall,
  narrowDown,
  planPromotion,
  type PromotableJob,
  type PromoteJobsParams,
  type PromoteJobsResult,
  type PromotionPlan,
  SplitBudget,
} from "riverqueue/driver";
import type { SqlTemplate } from "../connection/dialect.ts";
import { isRowCaused, isUniqueKeyConflict } from "../connection/pg-failure.ts";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { holdsTerm, TermOver } from "../leader/fence.ts";
import { formatArray } from "../record/pg-array.ts";
import { formatTime, parseTime } from "../record/pg-time.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import type { OwnUnit } from "../scope/unit.ts";
import { DUE, KEY_HOLDERS, SET_AVAILABLE, SET_DISCARDED } from "../sql/jobs/promote.ts";

/** A due row. */
interface DueJob extends PromotableJob {
  readonly queue: string;
  readonly scheduledAt: Temporal.Instant;
}

/** Null when the term is over. A row that cannot be written costs only itself. */
export async function promoteJobs(
  runner: PgRunner,
  params: PromoteJobsParams,
  call: DriverCall<PgTransaction> | undefined,
): Promise<PromoteJobsResult | null> {
  const promotion = (careful: boolean): Promise<PromoteJobsResult | null> =>
    runner.own("jobs.promote", call, (unit) => promote(unit, params, careful));
  try {
    return await promotion(false).catch((error: unknown) => {
      if (isRowCaused(error)) return promotion(true);
      throw error;
    });
  } catch (error) {
    if (error instanceof TermOver) return null;
    throw error;
  }
}

/** Runs inside one transaction. */
async function promote(unit: OwnUnit, params: PromoteJobsParams, careful: boolean): Promise<PromoteJobsResult | null> {
  if (!(await holdsTerm(unit, params.term))) return null;
  const plan = await findPlan(unit, params);
  const done = await (careful ? moveAround : move)(unit, plan, params);
  const queues = queuesDue(done.promote, params.noticeBy);
  // Asked again: reading and locking may have taken longer than the term.
  if (!(await holdsTerm(unit, params.term))) throw new TermOver();
  await unit.send(params.noticesFor(queues));
  return {
    taken: careful ? plan.promote.length + plan.discard.length : done.promote.length + done.discard.length,
    promoted: done.promote.length,
    discarded: done.discard.length,
    skipped: done.skip.map(({ id }) => id),
  };
}

/** Looks further as long as rows that must be left alone use up the limit. */
async function findPlan(unit: OwnUnit, params: PromoteJobsParams): Promise<PromotionPlan<DueJob>> {
  const { dueBy, limit, refusals } = params;
  const refused = new Set(refusals?.known);
  for (let window = limit; ; window *= 2) {
    const due = (await unit.rows(DUE, formatTime(dueBy), String(window))).map(dueJob);
    const open = refused.size === 0 ? due : due.filter(({ id }) => !refused.has(id));
    const plan = planPromotion(open, await findHolders(unit, open), limit);
    if (plan.promote.length + plan.discard.length === limit || due.length < window) return plan;
  }
}

/** Writes the plan in parts, each with a savepoint, so that a row that is refused is found and left as it is. */
async function moveAround(
  unit: OwnUnit,
  plan: PromotionPlan<DueJob>,
  params: PromoteJobsParams,
): Promise<PromotionPlan<DueJob>> {
  // A constraint that is deferred would fail the commit, for all rows.
  await unit.connection.command(unit.operation, "SET CONSTRAINTS ALL IMMEDIATE");
  const budget = new SplitBudget();
  const refuse = ({ id }: DueJob, error: unknown): void => {
    // A key that was taken in this very moment; the next pass sees who has it.
    if (!isUniqueKeyConflict(error)) params.refusals?.note(id, error);
  };
  const moveAll = async (jobs: readonly DueJob[], template: SqlTemplate, ...values: PgValue[]): Promise<DueJob[]> => {
    const done: DueJob[] = [];
    const act = async (part: readonly DueJob[]): Promise<void> => {
      await unit.undoable(() => write(unit, template, part, ...values));
      done.push(...part);
    };
    await narrowDown(jobs, act, budget, refuse);
    return done;
  };
  const discard = await moveAll(plan.discard, SET_DISCARDED, formatTime(params.passAt));
  const open = await moveAll(
    plan.promote.filter((job) => !hasKey(job)),
    SET_AVAILABLE,
  );
  const keyed = await moveAll(plan.promote.filter(hasKey), SET_AVAILABLE);
  return { promote: [...open, ...keyed], discard, skip: plan.skip };
}

/**
 * Writes the plan. A key that somebody took after it was looked up shows as a violation: then the plan is made anew and
 * its rows are written one by one, so that one row's conflict is only its own.
 */
async function move(
  unit: OwnUnit,
  plan: PromotionPlan<DueJob>,
  params: PromoteJobsParams,
): Promise<PromotionPlan<DueJob>> {
  await write(
    unit,
    SET_AVAILABLE,
    plan.promote.filter((job) => !hasKey(job)),
  );
  const keyed = plan.promote.filter(hasKey);
  if (keyed.length + plan.discard.length === 0) return plan;
  try {
    await unit.undoable(async () => {
      await write(unit, SET_DISCARDED, plan.discard, formatTime(params.passAt));
      await write(unit, SET_AVAILABLE, keyed);
    });
    return plan;
  } catch (error) {
    if (!isUniqueKeyConflict(error)) throw error;
    return moveEach(unit, plan, params);
  }
}

async function moveEach(
  unit: OwnUnit,
  before: PromotionPlan<DueJob>,
  params: PromoteJobsParams,
): Promise<PromotionPlan<DueJob>> {
  const moved = before.promote.filter((job) => !hasKey(job));
  const rest = [...before.promote.filter(hasKey), ...before.discard];
  const plan = planPromotion(rest, await findHolders(unit, rest), rest.length);
  const done = { promote: moved, discard: [] as DueJob[], skip: [...before.skip, ...plan.skip] };
  for (const job of plan.discard) {
    if (await writeAlone(unit, SET_DISCARDED, job, formatTime(params.passAt))) done.discard.push(job);
  }
  for (const job of plan.promote) if (await writeAlone(unit, SET_AVAILABLE, job)) done.promote.push(job);
  return done;
}

async function writeAlone(
  unit: OwnUnit,
  template: SqlTemplate,
  job: DueJob,
  ...values: readonly PgValue[]
): Promise<boolean> {
  try {
    await unit.undoable(() => write(unit, template, [job], ...values));
    return true;
  } catch (error) {
    // The key was taken in this very moment; the next pass sees who has it.
    if (isUniqueKeyConflict(error)) return false;
    throw error;
  }
}

async function write(
  unit: OwnUnit,
  template: SqlTemplate,
  jobs: readonly DueJob[],
  ...values: readonly PgValue[]
): Promise<void> {
  if (jobs.length > 0) await unit.rows(template, formatArray(jobs.map(({ id }) => String(id))), ...values);
}

async function findHolders(unit: OwnUnit, due: readonly DueJob[]): Promise<Map<string, bigint>> {
  const keys = new Set(due.flatMap(({ uniqueKey }) => (uniqueKey === null ? [] : [uniqueKey])));
  if (keys.size === 0) return new Map();
  const rows = await unit.rows(KEY_HOLDERS, formatArray(keys));
  return new Map(rows.map(([id, key]) => [key ?? "", BigInt(id ?? 0)]));
}

function hasKey({ uniqueKey, uniqueStates }: DueJob): boolean {
  return uniqueKey !== null && uniqueStates !== null;
}

function dueJob([id, queue, scheduledAt, uniqueKey, uniqueStates]: PgRow): DueJob {
  return {
    id: BigInt(id ?? 0),
    queue: queue ?? "",
    // A time that cannot be held is due since for ever.
    scheduledAt: parseTime(scheduledAt ?? "") ?? Temporal.Instant.fromEpochMilliseconds(0),
    uniqueStates: typeof uniqueStates === "string" ? Number(uniqueStates) : null,
    uniqueKey: uniqueKey ?? null,
  };
}

function queuesDue(jobs: readonly DueJob[], noticeBy: Temporal.Instant): string[] {
  const due = jobs.filter(({ scheduledAt }) => Temporal.Instant.compare(scheduledAt, noticeBy) <= 0);
  return [...new Set(due.map(({ queue }) => queue))];
}
