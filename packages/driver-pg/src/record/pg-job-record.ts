/** A job record over one row of `jobColumns`, decoded when asked: an attempt pays only for the columns it looks at. */
import { DatabaseOperationError, isJobState, type JobRecord, type JobState } from "riverqueue/driver";
import type { PgRow } from "../connection/pg-connection.ts";
import { parseArray } from "./pg-array.ts";
import { parseTime, styleHint } from "./pg-time.ts";

/** Position of each column in `jobColumns`. */
export const COLUMN = {
  id: 0,
  kind: 1,
  queue: 2,
  state: 3,
  priority: 4,
  attempt: 5,
  max_attempts: 6,
  args: 7,
  metadata: 8,
  errors: 9,
  tags: 10,
  attempted_by: 11,
  created_at: 12,
  scheduled_at: 13,
  attempted_at: 14,
  finalized_at: 15,
  unique_key: 16,
  unique_states: 17,
} as const;

type ColumnName = keyof typeof COLUMN;

/** Number of columns of a job; what a statement selects beside them comes behind. */
export const JOB_COLUMN_COUNT = 18;

/** An undecoded row; a getter whose column holds something unreadable throws a `DatabaseOperationError`. */
export class PgJobRecord implements JobRecord {
  readonly #row: PgRow;

  constructor(row: PgRow) {
    this.#row = row;
  }

  get id(): bigint {
    return BigInt(this.#text("id"));
  }

  get kind(): string {
    return this.#text("kind");
  }

  get queue(): string {
    return this.#text("queue");
  }

  get state(): JobState {
    const state = this.#row[COLUMN.state];
    return isJobState(state) ? state : this.#unreadable("state");
  }

  get priority(): number {
    return this.#count("priority");
  }

  get attempt(): number {
    return this.#count("attempt");
  }

  get maxAttempts(): number {
    return this.#count("max_attempts");
  }

  get args(): string {
    return this.#object("args");
  }

  get metadata(): string {
    return this.#object("metadata");
  }

  get errors(): string {
    if (this.#row[COLUMN.errors] === null) return "[]";
    return `[${this.#array("errors")
      .map((entry) => entry ?? "null")
      .join(",")}]`;
  }

  get tags(): readonly string[] {
    return this.#strings("tags");
  }

  get attemptedBy(): readonly string[] {
    return this.#row[COLUMN.attempted_by] === null ? [] : this.#strings("attempted_by");
  }

  get createdAt(): Temporal.Instant {
    return this.#time("created_at");
  }

  get scheduledAt(): Temporal.Instant {
    return this.#time("scheduled_at");
  }

  get attemptedAt(): Temporal.Instant | null {
    return this.#row[COLUMN.attempted_at] === null ? null : this.#time("attempted_at");
  }

  get finalizedAt(): Temporal.Instant | null {
    return this.#row[COLUMN.finalized_at] === null ? null : this.#time("finalized_at");
  }

  get uniqueKey(): Uint8Array | null {
    return this.#row[COLUMN.unique_key] === null ? null : Uint8Array.fromHex(this.#text("unique_key"));
  }

  get uniqueStates(): number | null {
    return this.#row[COLUMN.unique_states] === null ? null : Number.parseInt(this.#text("unique_states"), 2);
  }

  #text(column: ColumnName): string {
    const value = this.#row[COLUMN[column]];
    return typeof value === "string" ? value : this.#unreadable(column);
  }

  /** Negative numbers are presented as 0, as every River client does. */
  #count(column: ColumnName): number {
    return Math.max(0, Number(this.#text(column)));
  }

  #object(column: ColumnName): string {
    const value = this.#text(column);
    return value.startsWith("{") ? value : this.#unreadable(column);
  }

  #array(column: ColumnName): (string | null)[] {
    return parseArray(this.#text(column)) ?? this.#unreadable(column);
  }

  #strings(column: ColumnName): readonly string[] {
    const values = this.#array(column);
    return values.every((value) => value !== null) ? values : this.#unreadable(column);
  }

  #time(column: ColumnName): Temporal.Instant {
    const text = this.#text(column);
    return parseTime(text) ?? this.#unreadable(column, styleHint(text));
  }

  #unreadable(column: ColumnName, hint = ""): never {
    throw new DatabaseOperationError(`river_job.${column} of job ${this.#row[COLUMN.id]} cannot be read${hint}`, {
      backend: "postgres",
      operation: "jobs.read",
      details: { column, jobId: String(this.#row[COLUMN.id]), reason: "malformed", rowCaused: true },
    });
  }
}

/** Records of all rows. */
export function jobRecords(rows: readonly PgRow[]): PgJobRecord[] {
  return rows.map((row) => new PgJobRecord(row));
}
