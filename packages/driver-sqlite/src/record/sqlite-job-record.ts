/** A job record over one row of `JOB_COLUMNS`, decoded when asked: an attempt pays only for the columns it looks at. */
import { DatabaseOperationError, isJobState, type JobRecord, type JobState } from "riverqueue/driver";
import type { SqliteRow } from "../connection/sqlite-connection.ts";
import { parseTime } from "./canonical-time.ts";

/** Position of each column in `JOB_COLUMNS`. */
const COLUMN = {
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

/** An undecoded row; a getter whose column holds something unreadable throws a `DatabaseOperationError`. */
export class SqliteJobRecord implements JobRecord {
  readonly #row: SqliteRow;

  constructor(row: SqliteRow) {
    this.#row = row;
  }

  get id(): bigint {
    return this.#row[COLUMN.id] as bigint;
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
    return this.#json("args", "{");
  }

  get metadata(): string {
    return this.#json("metadata", "{");
  }

  /** Metadata, or null when the column holds no JSON object. */
  get readableMetadata(): string | null {
    const value = this.#row[COLUMN.metadata];
    return typeof value === "string" && value.startsWith("{") ? value : null;
  }

  get errors(): string {
    return this.#row[COLUMN.errors] === null ? "[]" : this.#json("errors", "[");
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
    const key = this.#row[COLUMN.unique_key];
    return key === null || key instanceof Uint8Array ? key : this.#unreadable("unique_key");
  }

  get uniqueStates(): number | null {
    return this.#row[COLUMN.unique_states] === null ? null : this.#count("unique_states");
  }

  #text(column: ColumnName): string {
    const value = this.#row[COLUMN[column]];
    return typeof value === "string" ? value : this.#unreadable(column);
  }

  /** Negative numbers are presented as 0, as every River client does. */
  #count(column: ColumnName): number {
    const value = this.#row[COLUMN[column]];
    return typeof value === "bigint" ? Math.max(0, Number(value)) : this.#unreadable(column);
  }

  /** SQLite has minified the text, so its first character tells what it is. */
  #json(column: ColumnName, opening: "{" | "["): string {
    const value = this.#text(column);
    return value.startsWith(opening) ? value : this.#unreadable(column);
  }

  #strings(column: ColumnName): readonly string[] {
    const values: unknown = JSON.parse(this.#json(column, "["));
    const readable = Array.isArray(values) && values.every((value) => typeof value === "string");
    return readable ? values : this.#unreadable(column);
  }

  #time(column: ColumnName): Temporal.Instant {
    return parseTime(this.#text(column)) ?? this.#unreadable(column);
  }

  #unreadable(column: ColumnName): never {
    throw new DatabaseOperationError(`river_job.${column} of job ${this.id} cannot be read`, {
      backend: "sqlite",
      operation: "jobs.read",
      details: { column, jobId: String(this.id), reason: "malformed", rowCaused: true },
    });
  }
}
