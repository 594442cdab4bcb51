/**
 * Jobs on top of what a driver read. Nothing is decoded before somebody looks at it, and then once: a claim of many
 * rows costs one small object a row.
 */
import type { inspect as nodeInspect, InspectContext } from "node:util";
import type { JsonObject } from "../json/json-value.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import type { AttemptError } from "./attempt-error.ts";
import { inspectJobRow } from "./inspect-job-row.ts";
import type { JobRecord } from "./job-record.ts";
import type { JobRow } from "./job-row.ts";
import { type JobState, statesOfBitmask } from "./job-state.ts";
import { type JobRowJson, jobToJsonValue } from "./job-to-json-value.ts";
import { readAttemptErrors } from "./read-attempt-errors.ts";

/** Columns that were written after the record was read. Absent and, but for `finalizedAt`, null: as in the record. */
export interface WrittenColumns {
  readonly state?: JobState | undefined;
  readonly attempt?: number | null | undefined;
  readonly finalizedAt?: Temporal.Instant | null | undefined;
  readonly scheduledAt?: Temporal.Instant | null | undefined;
  /** JSON text of an object whose top-level keys replace those of the record. */
  readonly metadata?: string | null | undefined;
  /** JSON text of an error entry that was appended. */
  readonly error?: string | null | undefined;
}

/** A job whose arguments passed its definition. */
export interface DecodedJobRow<Args> extends JobRow<Args> {
  /** The arguments as persisted. */
  readonly rawArgs: JsonObject;
}

/** A job made of a driver's record, as it is after `written`. */
export function jobRowOf(record: JobRecord, written: WrittenColumns = NOTHING_WRITTEN): JobRow {
  return new JobRowView(record, written);
}

/** The same job with decoded arguments; `rawArgs` has the persisted ones. */
export function withDecodedArgs<Args>(row: JobRow, args: Args): DecodedJobRow<Args> {
  // The class gets the members of a row at the end of this file.
  return new DecodedJobView(row, args) as unknown as DecodedJobRow<Args>;
}

const NOTHING_WRITTEN: WrittenColumns = Object.freeze({});

/** Columns that have been looked at. */
interface DecodedColumns {
  args?: JsonObject;
  metadata?: JsonObject;
  tags?: readonly string[];
  attemptedBy?: readonly string[];
  errors?: readonly AttemptError[];
  createdAt?: Temporal.Instant;
  scheduledAt?: Temporal.Instant;
  attemptedAt?: Temporal.Instant | null;
  finalizedAt?: Temporal.Instant | null;
  uniqueKey?: Uint8Array | null;
  uniqueStates?: readonly JobState[] | null;
}

class JobRowView implements JobRow {
  readonly #record: JobRecord;
  readonly #written: WrittenColumns;
  #decoded: DecodedColumns | null = null;

  constructor(record: JobRecord, written: WrittenColumns) {
    this.#record = record;
    this.#written = written;
  }

  get #columns(): DecodedColumns {
    return (this.#decoded ??= {});
  }

  get id(): bigint {
    return this.#record.id;
  }

  get kind(): string {
    return this.#record.kind;
  }

  get queue(): string {
    return this.#record.queue;
  }

  get state(): JobState {
    return this.#written.state ?? this.#record.state;
  }

  get priority(): number {
    return this.#record.priority;
  }

  get attempt(): number {
    return this.#written.attempt ?? this.#record.attempt;
  }

  get maxAttempts(): number {
    return this.#record.maxAttempts;
  }

  get args(): JsonObject {
    return (this.#columns.args ??= parseJsonObject(this.#record.args));
  }

  get metadata(): JsonObject {
    return (this.#columns.metadata ??= mergedMetadata(this.#record.metadata, this.#written.metadata));
  }

  get tags(): readonly string[] {
    return (this.#columns.tags ??= Object.freeze([...this.#record.tags]));
  }

  get attemptedBy(): readonly string[] {
    return (this.#columns.attemptedBy ??= Object.freeze([...this.#record.attemptedBy]));
  }

  get errors(): readonly AttemptError[] {
    return (this.#columns.errors ??= appendedErrors(this.#record.errors, this.#written.error));
  }

  get createdAt(): Temporal.Instant {
    return (this.#columns.createdAt ??= this.#record.createdAt);
  }

  get scheduledAt(): Temporal.Instant {
    return (this.#columns.scheduledAt ??= this.#written.scheduledAt ?? this.#record.scheduledAt);
  }

  get attemptedAt(): Temporal.Instant | null {
    return (this.#columns.attemptedAt ??= this.#record.attemptedAt);
  }

  get finalizedAt(): Temporal.Instant | null {
    const { finalizedAt } = this.#written;
    return (this.#columns.finalizedAt ??= finalizedAt === undefined ? this.#record.finalizedAt : finalizedAt);
  }

  get uniqueKey(): Uint8Array | null {
    return (this.#columns.uniqueKey ??= this.#record.uniqueKey);
  }

  get uniqueStates(): readonly JobState[] | null {
    return (this.#columns.uniqueStates ??= uniqueStatesOf(this.#record.uniqueStates));
  }

  /** For `JSON.stringify`: the value of `jobToJsonValue`. */
  toJSON(): JobRowJson {
    return jobToJsonValue(this);
  }
}

class DecodedJobView<Args> {
  readonly #row: JobRow;
  readonly args: Args;

  static {
    for (const name of Object.getOwnPropertyNames(JobRowView.prototype) as (keyof JobRow)[]) {
      if (name in this.prototype || name === "args") continue;
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: DecodedJobView<unknown>) {
          return this.#row[name];
        },
      });
    }
  }

  constructor(row: JobRow, args: Args) {
    this.#row = row;
    this.args = args;
    Object.freeze(this);
  }

  get rawArgs(): JsonObject {
    return this.#row.args;
  }

  /** For `JSON.stringify`: the value of `jobToJsonValue`. */
  toJSON(): JobRowJson {
    return jobToJsonValue(this.#row);
  }
}

// `util.inspect` looks for this symbol; inspected otherwise, getters and times show nothing.
for (const view of [JobRowView, DecodedJobView]) {
  Object.defineProperty(view.prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: JobRow, depth: number | null, options: InspectContext, inspect: typeof nodeInspect) {
      return inspectJobRow(this, depth, options, inspect);
    },
  });
}

function mergedMetadata(stored: string, written: string | null | undefined): JsonObject {
  const metadata = parseJsonObject(stored);
  if (!written) return metadata;
  return Object.assign(Object.create(null) as JsonObject, metadata, parseJsonObject(written));
}

function appendedErrors(stored: string, written: string | null | undefined): readonly AttemptError[] {
  const errors = readAttemptErrors(stored);
  return written ? Object.freeze([...errors, ...readAttemptErrors(`[${written}]`)]) : errors;
}

function uniqueStatesOf(mask: number | null): readonly JobState[] | null {
  return mask === null ? null : Object.freeze(statesOfBitmask(mask));
}
