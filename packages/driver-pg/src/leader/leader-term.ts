/** Terms as read from rows, and as statements take them. */
import { DatabaseOperationError, type LeaderTerm } from "riverqueue/driver";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { formatTime, parseTime } from "../record/pg-time.ts";
import type { Unit } from "../scope/unit.ts";

/** `row` holds `termColumns`; null when there is none. @throws DatabaseOperationError when it cannot be read. */
export function leaderTerm(row: PgRow | undefined): LeaderTerm | null {
  if (row === undefined) return null;
  const [leaderId, electedAt, expiresAt] = row.map(String);
  const elected = parseTime(electedAt ?? "");
  const expires = parseTime(expiresAt ?? "");
  if (leaderId === undefined || elected === null || expires === null) {
    throw new DatabaseOperationError("the row of river_leader cannot be read", {
      backend: "postgres",
      operation: "leader.read",
      details: { reason: "malformed", rowCaused: true },
    });
  }
  return { leaderId, electedAt: elected, expiresAt: expires };
}

/** The first three values of a fenced statement. */
export function fenceValues({ now }: Unit, { leaderId, electedAt }: LeaderTerm): readonly PgValue[] {
  return [leaderId, formatTime(electedAt), now];
}

/** What a fenced statement answers: whether the term holds, and a count. Null when it does not. */
export function fencedCount(row: PgRow | undefined): number | null {
  const [holds, count] = row ?? [];
  return holds === "true" ? Number(count) : null;
}
