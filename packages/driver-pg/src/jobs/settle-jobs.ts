/**
 * Settling. Plain completions, nearly all there is, are written by a statement that checks ownership itself and returns
 * IDs; every other settlement, and each one that that statement did not find owned, goes through the general one.
 */
import type { SettledJob, Settlement, SettleJobsParams } from "riverqueue/driver";
import type { PgRow } from "../connection/pg-connection.ts";
import { formatTime, timeJson } from "../record/pg-time.ts";
import { JOB_COLUMN_COUNT, PgJobRecord } from "../record/pg-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { COMPLETE, COMPLETE_DELETING, COMPLETE_RETURNING_ROWS, FIND_COMPLETED, SETTLE } from "../sql/jobs/settle.ts";

/** Rows of one general statement; its cost for each row grows with their number. */
export const GENERAL_ROWS = 1_000;

/** Nothing but the state changes, or nothing will be left to look at. */
function isPlain(
  { state, deleteRow, error, metadata, newAttempt, scheduledAt, finalizedAt }: Settlement,
  wantRows: boolean,
): boolean {
  if (state !== "completed" || finalizedAt === null) return false;
  if (deleteRow) return !wantRows;
  return error === null && metadata === null && newAttempt === null && scheduledAt === null;
}

/** Whether all settlements are plain, alike in client and treatment of the row: one statement can write them. */
export function isOneCompletion({ settlements, wantRows }: SettleJobsParams): boolean {
  const [first] = settlements;
  return settlements.every(
    (settlement) =>
      isPlain(settlement, wantRows) &&
      settlement.clientId === first?.clientId &&
      settlement.deleteRow === first.deleteRow,
  );
}

/** Completes owned attempts in one statement; those it did not find owned are missing from the result. */
export async function completeOwned(unit: Unit, { settlements, wantRows }: SettleJobsParams): Promise<SettledJob[]> {
  const [first] = settlements;
  if (first === undefined) return [];
  const template = first.deleteRow ? COMPLETE_DELETING : wantRows ? COMPLETE_RETURNING_ROWS : COMPLETE;
  const rows = await unit.rows(template, ...completionValues(settlements), first.clientId);
  const read = template === COMPLETE_RETURNING_ROWS;
  return rows.map((row) => ({
    id: BigInt(row[0] ?? 0),
    outcome: "settled",
    state: "completed",
    job: read ? new PgJobRecord(row) : null,
  }));
}

/** Of attempts of one client with nothing to merge, those that have completed their rows themselves before. */
export async function findCompleted(unit: Unit, settlements: readonly Settlement[]): Promise<SettledJob[]> {
  const [first] = settlements;
  if (first === undefined) return [];
  const [ids, attempts] = completionValues(settlements);
  const rows = await unit.rows(FIND_COMPLETED, ids, attempts, first.clientId);
  return rows.map(([id]) => ({ id: BigInt(id ?? 0), outcome: "merged", state: "completed", job: null }));
}

/** Settles attempts of any outcome; one result each. Several statements need a transaction. */
export async function settleAny(unit: Unit, settlements: readonly Settlement[]): Promise<SettledJob[]> {
  const settled: SettledJob[] = [];
  for (let start = 0; start < settlements.length; start += GENERAL_ROWS) {
    const part = settlements.slice(start, start + GENERAL_ROWS);
    const rows = await unit.rows(SETTLE, `[${part.map(settlementJson).join(",")}]`, unit.now);
    settled.push(...rows.map(settledJob));
  }
  return settled;
}

/** A mixed batch, inside one transaction: plain completions first, and what is left in general statements. */
export async function settleMixed(unit: Unit, { settlements, wantRows }: SettleJobsParams): Promise<SettledJob[]> {
  const settled: SettledJob[] = [];
  for (const group of plainGroups(settlements, wantRows)) {
    settled.push(...(await completeOwned(unit, { settlements: group, wantRows })));
  }
  const done = new Set(settled.map(({ id }) => id));
  settled.push(
    ...(await settleAny(
      unit,
      settlements.filter(({ id }) => !done.has(id)),
    )),
  );
  return settled;
}

function plainGroups(settlements: readonly Settlement[], wantRows: boolean): Iterable<readonly Settlement[]> {
  const plain = settlements.filter((settlement) => isPlain(settlement, wantRows));
  return Map.groupBy(plain, ({ clientId, deleteRow }) => `${deleteRow} ${clientId}`).values();
}

function completionValues(settlements: readonly Settlement[]): [string, string, string] {
  const ids: bigint[] = [];
  const attempts: number[] = [];
  const times: string[] = [];
  for (const { id, attempt, finalizedAt } of settlements) {
    ids.push(id);
    attempts.push(attempt);
    times.push(finalizedAt === null ? "NULL" : textOf(finalizedAt));
  }
  return [`{${ids.join(",")}}`, `{${attempts.join(",")}}`, `{${times.join(",")}}`];
}

let [lastMilliseconds, lastText] = [Number.NaN, ""];

/** Clocks tick in milliseconds and many attempts end in the same one: they share its text. */
function textOf(instant: Temporal.Instant): string {
  const milliseconds = instant.epochMilliseconds;
  if (milliseconds === lastMilliseconds && instant.epochNanoseconds % 1_000_000n === 0n) return lastText;
  const text = formatTime(instant);
  if (instant.epochNanoseconds % 1_000_000n === 0n) [lastMilliseconds, lastText] = [milliseconds, text];
  return text;
}

function settlementJson(settlement: Settlement): string {
  return (
    `{"id":${settlement.id},"attempt":${settlement.attempt},"client":${JSON.stringify(settlement.clientId)},` +
    `"state":"${settlement.state}","new_attempt":${settlement.newAttempt},` +
    `"finalized_at":${timeJson(settlement.finalizedAt)},"scheduled_at":${timeJson(settlement.scheduledAt)},` +
    `"error":${settlement.error},"metadata":${settlement.metadata},"delete_row":${settlement.deleteRow}}`
  );
}

function settledJob(row: PgRow): SettledJob {
  const [wantedId, outcome] = row.slice(JOB_COLUMN_COUNT);
  const id = BigInt(wantedId ?? 0);
  if (outcome === "locked" || outcome === "missing") return { id, outcome, state: null, job: null };
  const job = new PgJobRecord(row);
  return { id, outcome: outcome as SettledJob["outcome"], state: job.state, job };
}
