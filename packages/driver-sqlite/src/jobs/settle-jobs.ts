/**
 * Settling. Plain completions, nearly all there is, are written in bulk by statements that check ownership themselves;
 * every other settlement, and each one that those statements did not find owned, is looked at by itself.
 */
import type { SettledJob, Settlement, SettleJobsParams } from "riverqueue/driver";
import { formatEpochMilliseconds, roundToMilliseconds } from "../record/canonical-time.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { COMPLETE, COMPLETE_DELETING, COMPLETE_RETURNING_ROWS } from "../sql/jobs/settle.ts";
import { settleOne } from "./settle-one.ts";

/** Writes the settlements; one result each, in the order of the request. Runs inside one transaction. */
export function settleJobs(unit: Unit, { settlements, wantRows }: SettleJobsParams): SettledJob[] {
  const results = new Map<bigint, SettledJob>();
  for (const group of groupPlain(settlements, wantRows)) {
    for (const settled of completeGroup(unit, group, wantRows)) results.set(settled.id, settled);
  }
  return settlements.map((settlement) => results.get(settlement.id) ?? settleOne(unit, settlement));
}

/** Nothing but the state changes, or nothing will be left to look at. */
function isPlain(
  { state, deleteRow, error, metadata, newAttempt, scheduledAt }: Settlement,
  wantRows: boolean,
): boolean {
  if (state !== "completed") return false;
  if (deleteRow) return !wantRows;
  return error === null && metadata === null && newAttempt === null && scheduledAt === null;
}

/** Plain settlements that one statement can write: same client, attempt and treatment of the row. */
function groupPlain(settlements: readonly Settlement[], wantRows: boolean): Iterable<Settlement[]> {
  const groups = new Map<string, Settlement[]>();
  for (const settlement of settlements) {
    if (!isPlain(settlement, wantRows)) continue;
    const key = `${settlement.attempt} ${settlement.deleteRow} ${settlement.clientId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [settlement]);
    else group.push(settlement);
  }
  return groups.values();
}

function completeGroup(unit: Unit, group: readonly Settlement[], wantRows: boolean): SettledJob[] {
  const [first] = group;
  if (first === undefined) return [];
  const values = [endedTimes(group, unit.now), first.attempt, first.clientId] as const;
  if (first.deleteRow) return unit.connection.rows(COMPLETE_DELETING, ...values).map(([id]) => completed(id as bigint));
  if (!wantRows) return unit.connection.rows(COMPLETE, ...values).map(([id]) => completed(id as bigint));
  return unit.connection.rows(COMPLETE_RETURNING_ROWS, ...values).map((row) => {
    const job = new SqliteJobRecord(row);
    return { ...completed(job.id), job };
  });
}

/** JSON text of ID → finalized time. Attempts that ended in one millisecond share its text. */
function endedTimes(group: readonly Settlement[], now: string): string {
  const texts = new Map<number, string>();
  const textOf = (milliseconds: number): string => {
    let text = texts.get(milliseconds);
    if (text === undefined) texts.set(milliseconds, (text = formatEpochMilliseconds(milliseconds)));
    return text;
  };
  const members = group.map(({ id, finalizedAt }) => {
    return `"${id}":"${finalizedAt === null ? now : textOf(roundToMilliseconds(finalizedAt))}"`;
  });
  return `{${members.join(",")}}`;
}

function completed(id: bigint): SettledJob {
  return { id, outcome: "settled", state: "completed", job: null };
}
