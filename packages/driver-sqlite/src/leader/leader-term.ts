/** A term as read from its row. */
import { DatabaseOperationError, type LeaderTerm } from "riverqueue/driver";
import type { SqliteRow } from "../connection/sqlite-connection.ts";
import { parseTime } from "../record/canonical-time.ts";

/** `row` holds `TERM_COLUMNS`; null when there is none. @throws DatabaseOperationError when it cannot be read. */
export function leaderTerm(row: SqliteRow | undefined): LeaderTerm | null {
  if (row === undefined) return null;
  const [leaderId, electedAt, expiresAt] = row.map(String);
  const elected = parseTime(electedAt ?? "");
  const expires = parseTime(expiresAt ?? "");
  if (leaderId === undefined || elected === null || expires === null) {
    throw new DatabaseOperationError("the row of river_leader cannot be read", {
      backend: "sqlite",
      operation: "leader.read",
      details: { reason: "malformed", rowCaused: true },
    });
  }
  return { leaderId, electedAt: elected, expiresAt: expires };
}
