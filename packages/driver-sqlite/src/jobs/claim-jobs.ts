/** Claiming: one statement, unless a row is refused; then the others are claimed without it. */
import type { DatabaseSync } from "node:sqlite";
import { claimAround, type ClaimJobsParams, type ClaimJobsResult, type DriverCall } from "riverqueue/driver";
import type { SqliteRow } from "../connection/sqlite-connection.ts";
import { isRowCaused } from "../connection/sqlite-failure.ts";
import { formatIds, idsOf } from "../record/ids.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { CLAIM, CLAIM_EXCEPT, CLAIM_KINDS, CLAIM_THESE, CLAIMABLE } from "../sql/jobs/claim.ts";

type Call = DriverCall<DatabaseSync> | undefined;

const OPERATION = "jobs.claim";

/** Claims in the application's transaction fail as a whole, like everything in it. */
export async function claimJobs(runner: UnitRunner, params: ClaimJobsParams, call: Call): Promise<ClaimJobsResult> {
  try {
    return resultOf(await runner.change(OPERATION, call, (unit) => claim(unit, params)));
  } catch (error) {
    if (call?.scope !== undefined || !isRowCaused(error)) throw error;
    return resultOf(await claimOthers(runner, params, call));
  }
}

function claim({ connection, now }: Unit, params: ClaimJobsParams): SqliteRow[] {
  const { queue, clientId, limit, kinds, refusals } = params;
  const known = refusals?.known ?? [];
  const values = [now, clientId, queue, limit] as const;
  if (known.length > 0) return connection.rows(CLAIM_EXCEPT, ...values, kindsJson(kinds), formatIds(known));
  return kinds === null
    ? connection.rows(CLAIM, ...values)
    : connection.rows(CLAIM_KINDS, ...values, JSON.stringify(kinds));
}

function claimOthers(runner: UnitRunner, params: ClaimJobsParams, call: Call): Promise<SqliteRow[]> {
  const { queue, clientId, limit, kinds, refusals } = params;
  return claimAround<SqliteRow>(limit, refusals, {
    due: (count, except) =>
      runner.read(OPERATION, call, ({ connection, now }) =>
        idsOf(connection.rows(CLAIMABLE, now, null, queue, count, kindsJson(kinds), formatIds(except))),
      ),
    claim: (ids) =>
      runner.change(OPERATION, call, ({ connection, now }) =>
        connection.rows(CLAIM_THESE, now, clientId, queue, formatIds(ids), kindsJson(kinds)),
      ),
  });
}

function kindsJson(kinds: ClaimJobsParams["kinds"]): string | null {
  return kinds === null ? null : JSON.stringify(kinds);
}

function resultOf(rows: readonly SqliteRow[]): ClaimJobsResult {
  return { jobs: rows.map((row) => new SqliteJobRecord(row)), hint: null };
}
