/**
 * Claiming. Under a backlog a claim goes on where the one before stopped, because the entries before it are dead and yet
 * have to be walked over while any session holds an old snapshot. Jobs that came in ahead of that position meanwhile,
 * by priority or time, are found by the next claim from the front, a quarter of a second later at most.
 */
import type { ClaimHint, ClaimJobsParams, ClaimJobsResult } from "riverqueue/driver";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { formatArray } from "../record/pg-array.ts";
import { JobPosition } from "../record/job-position.ts";
import { jobRecords } from "../record/pg-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { CLAIM, CLAIM_BEHIND } from "../sql/jobs/claim.ts";

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

/** One claim: one statement, or two when resuming found too little. */
export async function claimJobs(unit: Unit, params: ClaimJobsParams): Promise<ClaimJobsResult> {
  const before = progressOf(params.hint);
  if (before?.mayResume) {
    const rows = await unit.rows(CLAIM_BEHIND, ...claimValues(unit, params, params.limit), ...before.position.values);
    if (rows.length === params.limit) return resultOf(rows, before, before.resumed + 1, before.frontAt);
    const front = await unit.rows(CLAIM, ...claimValues(unit, params, params.limit - rows.length));
    return { jobs: jobRecords([...rows, ...front]), hint: null };
  }
  const frontAt = performance.now();
  const rows = await unit.rows(CLAIM, ...claimValues(unit, params, params.limit));
  if (rows.length < params.limit) return { jobs: jobRecords(rows), hint: null };
  return resultOf(rows, before, 0, frontAt);
}

function progressOf(hint: ClaimHint | null): ClaimProgress | null {
  return hint instanceof ClaimProgress ? hint : null;
}

function claimValues(unit: Unit, { queue, clientId, kinds }: ClaimJobsParams, limit: number): PgValue[] {
  return [queue, String(limit), clientId, unit.now, kinds === null ? null : formatArray(kinds)];
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
