/** Where a job stands in the order of claims, as the database wrote it: digits that a number would lose are kept. */
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { COLUMN } from "./pg-job-record.ts";

const { id: ID, priority: PRIORITY, scheduled_at: SCHEDULED_AT } = COLUMN;

/** See the file header. */
export class JobPosition {
  /** Priority, scheduled time and ID. */
  readonly values: readonly PgValue[];

  private constructor(row: PgRow) {
    this.values = [row[PRIORITY] ?? null, row[SCHEDULED_AT] ?? null, row[ID] ?? null];
  }

  /** The position of the last of `rows`, which hold `jobColumns`. At least one row is needed. */
  static last(rows: readonly PgRow[]): JobPosition {
    let last = rows[0];
    for (const row of rows) if (last === undefined || isBehind(row, last)) last = row;
    if (last === undefined) throw new RangeError("no row has no last position");
    return new JobPosition(last);
  }
}

function isBehind(a: PgRow, b: PgRow): boolean {
  const byPriority = Number(a[PRIORITY]) - Number(b[PRIORITY]);
  if (byPriority !== 0) return byPriority > 0;
  const [timeA, timeB] = [a[SCHEDULED_AT] ?? "", b[SCHEDULED_AT] ?? ""];
  if (timeA !== timeB) return isLater(timeA, timeB);
  return BigInt(a[ID] ?? 0) > BigInt(b[ID] ?? 0);
}

/** One session writes times in one zone, so text compares as time except for the zeros it cuts off and for its zone. */
function isLater(a: string, b: string): boolean {
  const [dateA, dateB] = [a.slice(0, 19), b.slice(0, 19)];
  if (dateA !== dateB) return dateA > dateB;
  return fraction(a) > fraction(b);
}

function fraction(time: string): string {
  return /^\.\d+/.exec(time.slice(19))?.[0] ?? "";
}
