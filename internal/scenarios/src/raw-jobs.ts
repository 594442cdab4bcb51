/** Jobs that are written by SQL, past the client's insertion: as other programs write them, or as time would have made them. */
import type { JobState } from "riverqueue";
import type { Database } from "./database.ts";

/** Columns that matter; times are milliseconds from now, negative ones are past. */
export interface RawJob {
  readonly kind?: string;
  readonly state?: JobState;
  readonly queue?: string;
  /** JSON. */
  readonly args?: string;
  /** JSON. */
  readonly metadata?: string;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly scheduledIn?: number;
  readonly attemptedIn?: number;
  readonly finalizedIn?: number;
}

/** Inserts them and returns their IDs. */
export async function insertRaw(database: Database, jobs: readonly RawJob[]): Promise<bigint[]> {
  const postgres = database.backend === "postgres";
  const json = (text: string): string => (postgres ? `${text}::jsonb` : `jsonb(${text})`);
  const time = (text: string): string => (postgres ? `${text}::timestamptz` : text);
  const ids: bigint[] = [];
  for (const job of jobs) {
    const [row] = await database.query(
      `INSERT INTO river_job (kind, state, queue, args, attempt, max_attempts, created_at, scheduled_at, attempted_at, finalized_at, metadata)
       VALUES ($1, $2, $3, ${json("$4")}, $5, $6, ${time("$7")}, ${time("$7")}, ${time("$8")}, ${time("$9")}, ${json("$10")}) RETURNING id`,
      job.kind ?? "task",
      job.state ?? "available",
      job.queue ?? "default",
      job.args ?? "{}",
      job.attempt ?? 0,
      job.maxAttempts ?? 25,
      storedTime(database, job.scheduledIn ?? 0),
      job.attemptedIn === undefined ? null : storedTime(database, job.attemptedIn),
      job.finalizedIn === undefined ? null : storedTime(database, job.finalizedIn),
      job.metadata ?? "{}",
    );
    ids.push(BigInt(row?.["id"] as number | string));
  }
  return ids;
}

/** The time so many milliseconds from now as the tables hold it. */
export function storedTime({ backend }: Database, inMs: number): string {
  const text = Temporal.Now.instant().add({ milliseconds: inMs }).toString({ fractionalSecondDigits: 3 });
  return backend === "postgres" ? text : text.replace("T", " ").replace("Z", "");
}
