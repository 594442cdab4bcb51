/**
 * Claiming. Under a backlog a claim goes on where the one before stopped, because the entries before it are dead and yet
 * have to be walked over while any session holds an old snapshot. Jobs that came in ahead of that position meanwhile,
 * by priority or time, are found by the next claim from the front, a quarter of a second later at most.
 *
 * A row that the database refuses to change fails the statement for all. Then it is looked for and passed over, and later
 * claims leave it out for as long as it is known.
 */
import {
  claimAround,
  type ClaimHint,
  type ClaimJobsParams,
  type ClaimJobsResult,
  type DriverCall,
} from "riverqueue/driver";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { isRowCaused } from "../connection/pg-failure.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { formatIds, idsOf } from "../record/ids.ts";
import { formatArray } from "../record/pg-array.ts";
import { JobPosition } from "../record/job-position.ts";
import { jobRecords } from "../record/pg-job-record.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { CLAIM, CLAIM_BEHIND, CLAIM_BEHIND_EXCEPT, CLAIM_EXCEPT, CLAIM_THESE, CLAIMABLE } from "../sql/jobs/claim.ts";

type Call = DriverCall<PgTransaction> | undefined;

const OPERATION = "jobs.claim";

/** Claims in a row that may start behind the front. */
const RESUMED_CLAIMS = 50;
/** Longest time without a claim from the front, in milliseconds. */
const RESUMED_MS = 250;
/** Dead entries that are cheaper to walk over than to step around. */
const WORTH_RESUMING = 1_000;

/** How far the claims of one queue have come without a pause in the backlog. */
class ClaimProgress {
  readonly position: JobPosition;
  /** Jobs claimed since the backlog began. */
  readonly claimed: number;
  readonly resumed: number;
  readonly frontAt: number;

  constructor(position: JobPosition, claimed: number, resumed: number, frontAt: number) {
    this.position = position;
    this.claimed = claimed;
    this.resumed = resumed;
    this.frontAt = frontAt;
  }

  get mayResume(): boolean {
    if (this.claimed < WORTH_RESUMING || this.resumed >= RESUMED_CLAIMS) return false;
    return performance.now() - this.frontAt < RESUMED_MS;
  }
}

/** One claim: one statement, or two when resuming found too little; more when a row is refused. */
export async function claimJobs(runner: PgRunner, params: ClaimJobsParams, call: Call): Promise<ClaimJobsResult> {
  try {
    return await runner.use(OPERATION, call, (unit) => claim(unit, params, call?.scope === undefined));
  } catch (error) {
    // In a transaction that the error has aborted nothing more can be done.
    if (call?.scope !== undefined || !isRowCaused(error)) throw error;
    return { jobs: jobRecords(await claimOthers(runner, params, call)), hint: null };
  }
}

async function claim(unit: Unit, params: ClaimJobsParams, alone: boolean): Promise<ClaimJobsResult> {
  const before = progressOf(params.hint);
  const { queue, clientId, kinds, limit, refusals } = params;
  const known = refusals?.known ?? [];
  const except = known.length === 0 ? [] : [formatIds(known)];
  const [front, behind] = known.length === 0 ? [CLAIM, CLAIM_BEHIND] : [CLAIM_EXCEPT, CLAIM_BEHIND_EXCEPT];
  const values = (count: number): PgValue[] => [queue, String(count), clientId, unit.now, kindsValue(kinds)];
  if (before?.mayResume) {
    const rows = await unit.rows(behind, ...values(limit), ...before.position.values, ...except);
    if (rows.length === limit) return resultOf(rows, before, before.resumed + 1, before.frontAt);
    const rest = unit.rows(front, ...values(limit - rows.length), ...except).catch((error: unknown) => {
      // What the first statement claimed is committed and must be worked; the next claim meets the failure again.
      if (!alone || rows.length === 0) throw error;
      return [];
    });
    return { jobs: jobRecords([...rows, ...(await rest)]), hint: null };
  }
  const frontAt = performance.now();
  const rows = await unit.rows(front, ...values(limit), ...except);
  if (rows.length < limit) return { jobs: jobRecords(rows), hint: null };
  return resultOf(rows, before, 0, frontAt);
}

/** A row is refused: finds out which, and claims the others. */
function claimOthers(runner: PgRunner, params: ClaimJobsParams, call: Call): Promise<PgRow[]> {
  const { queue, clientId, kinds, limit, refusals } = params;
  return claimAround<PgRow>(limit, refusals, {
    due: (count, except) =>
      runner.use(OPERATION, call, async (unit) => {
        const values = [queue, String(count), unit.now, kindsValue(kinds), formatIds(except)];
        return idsOf(await unit.rows(CLAIMABLE, ...values));
      }),
    claim: (ids) =>
      runner.use(OPERATION, call, (unit) =>
        unit.rows(CLAIM_THESE, queue, formatIds(ids), clientId, unit.now, kindsValue(kinds)),
      ),
  });
}

function progressOf(hint: ClaimHint | null): ClaimProgress | null {
  return hint instanceof ClaimProgress ? hint : null;
}

function kindsValue(kinds: ClaimJobsParams["kinds"]): string | null {
  return kinds === null ? null : formatArray(kinds);
}

function resultOf(
  rows: readonly PgRow[],
  before: ClaimProgress | null,
  resumed: number,
  frontAt: number,
): ClaimJobsResult {
  const claimed = (before?.claimed ?? 0) + rows.length;
  const position = JobPosition.last(rows);
  return { jobs: jobRecords(rows), hint: new ClaimProgress(position, claimed, resumed, frontAt) };
}
