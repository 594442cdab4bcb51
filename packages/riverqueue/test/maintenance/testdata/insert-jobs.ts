/** Puts jobs in any state into a database, past the insertion path. */
import type { DatabaseSync } from "node:sqlite";

/** Columns of a job that matter here; times in the future or past of the test's clock. */
export interface RawJob {
  readonly kind?: string;
  readonly state: string;
  readonly queue?: string;
  readonly args?: string;
  readonly metadata?: string;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly scheduledAt?: Temporal.Instant;
  readonly attemptedAt?: Temporal.Instant | null;
  readonly finalizedAt?: Temporal.Instant | null;
  readonly uniqueKey?: Uint8Array | null;
  readonly uniqueStates?: number | null;
}

/** Time as the tables hold it. */
export function storedTime(instant: Temporal.Instant): string {
  return instant.toString({ fractionalSecondDigits: 3 }).replace("T", " ").replace("Z", "");
}

/** Inserts jobs and returns their IDs. */
export function insertRawJobs(database: DatabaseSync, now: Temporal.Instant, jobs: readonly RawJob[]): bigint[] {
  const statement = database.prepare(
    `INSERT INTO river_job (kind, state, queue, args, metadata, attempt, max_attempts, created_at, scheduled_at,
       attempted_at, finalized_at, unique_key, unique_states, priority, tags)
     VALUES (?, ?, ?, jsonb(?), jsonb(?), ?, ?, ?, ?, ?, ?, ?, ?, 1, jsonb('[]')) RETURNING id`,
  );
  database.exec("BEGIN IMMEDIATE");
  const ids = jobs.map((job) => {
    const row = statement.get(
      job.kind ?? "known",
      job.state,
      job.queue ?? "default",
      job.args ?? "{}",
      job.metadata ?? "{}",
      job.attempt ?? 0,
      job.maxAttempts ?? 25,
      storedTime(now),
      storedTime(job.scheduledAt ?? now),
      job.attemptedAt ? storedTime(job.attemptedAt) : null,
      job.finalizedAt ? storedTime(job.finalizedAt) : null,
      job.uniqueKey ?? null,
      job.uniqueStates ?? null,
    );
    return BigInt(row?.["id"] as number);
  });
  database.exec("COMMIT");
  return ids;
}
