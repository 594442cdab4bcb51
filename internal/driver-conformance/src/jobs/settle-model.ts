/** Settling as a pure function: what the seam says about one settlement and one row, and nothing about a database. */
import { type JobState, type SettledJob, type Settlement, isFinalizedState } from "riverqueue/driver";

/** What settling looks at and writes. */
export interface ModelRow {
  readonly state: JobState;
  readonly attempt: number;
  readonly clientId: string;
  readonly scheduledAt: Temporal.Instant;
  readonly finalizedAt: Temporal.Instant | null;
  /** JSON texts. */
  readonly errors: readonly string[];
  /** JSON texts by key. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What becomes of a row; null when it is gone. */
export interface ModelOutcome {
  readonly outcome: SettledJob["outcome"];
  readonly state: JobState | null;
  readonly row: ModelRow | null;
}

/** A settlement, its metadata by key. */
export type ModelSettlement = Omit<Settlement, "id" | "metadata"> & {
  readonly metadata: Readonly<Record<string, string>> | null;
};

export function settleModel(row: ModelRow | null, end: ModelSettlement, now: Temporal.Instant): ModelOutcome {
  if (row === null) return { outcome: "missing", state: null, row };
  if (row.attempt !== end.attempt || row.clientId !== end.clientId) {
    return { outcome: "superseded", state: row.state, row };
  }
  const metadata = { ...row.metadata, ...end.metadata };
  if (row.state !== "running") return { outcome: "merged", state: row.state, row: { ...row, metadata } };
  const errors = end.error === null ? row.errors : [...row.errors, end.error];
  if ("cancel_attempted_at" in row.metadata && !isFinalizedState(end.state)) {
    const cancelled = { ...row, state: "cancelled", finalizedAt: now, errors, metadata } as const;
    return { outcome: "settled", state: "cancelled", row: cancelled };
  }
  const settled = {
    state: end.state,
    attempt: end.newAttempt ?? row.attempt,
    clientId: row.clientId,
    scheduledAt: end.scheduledAt ?? row.scheduledAt,
    finalizedAt: end.finalizedAt,
    errors,
    metadata,
  };
  return { outcome: "settled", state: end.state, row: end.deleteRow ? null : settled };
}
