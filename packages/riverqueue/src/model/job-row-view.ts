/**
 * Jobs on top of what a driver read: plain fields, decoded, frozen. A column that holds something unreadable throws when
 * it is looked at and leaves the others alone, so that one damaged row spoils no list.
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
import { lazyColumn } from "./lazy-column.ts";
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
  try {
    return Object.freeze(new JobRowView(record, written));
  } catch {
    return partlyReadableRow(record, written);
  }
}

/** The same job with decoded arguments; `rawArgs` has the persisted ones. */
export function withDecodedArgs<Args>(row: JobRow, args: Args): DecodedJobRow<Args> {
  try {
    return Object.freeze(new DecodedJobView(row, args));
  } catch {
    const columns: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(row);
    columns["rawArgs"] = { value: row.args, enumerable: true };
    columns["args"] = { value: args, enumerable: true };
    return Object.freeze(Object.create(DecodedJobView.prototype, columns) as DecodedJobRow<Args>);
  }
}

const NOTHING_WRITTEN: WrittenColumns = Object.freeze({});

/** What each column of a row is, decoded. */
const COLUMNS: { readonly [Name in keyof JobRow]: (record: JobRecord, written: WrittenColumns) => JobRow[Name] } = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  queue: ({ queue }) => queue,
  state: (record, { state }) => state ?? record.state,
  priority: ({ priority }) => priority,
  attempt: (record, { attempt }) => attempt ?? record.attempt,
  maxAttempts: ({ maxAttempts }) => maxAttempts,
  args: ({ args }) => parseJsonObject(args),
  metadata: (record, written) => mergedMetadata(record.metadata, written.metadata),
  tags: ({ tags }) => frozenCopy(tags),
  attemptedBy: ({ attemptedBy }) => frozenCopy(attemptedBy),
  errors: (record, written) => appendedErrors(record.errors, written.error),
  createdAt: ({ createdAt }) => createdAt,
  scheduledAt: (record, { scheduledAt }) => scheduledAt ?? record.scheduledAt,
  attemptedAt: ({ attemptedAt }) => attemptedAt,
  finalizedAt: (record, { finalizedAt }) => (finalizedAt === undefined ? record.finalizedAt : finalizedAt),
  uniqueKey: ({ uniqueKey }) => uniqueKey,
  uniqueStates: ({ uniqueStates }) => (uniqueStates === null ? null : Object.freeze(statesOfBitmask(uniqueStates))),
};

/** Spelt out rather than looped over `COLUMNS`: claims make tens of thousands of these a second. */
class JobRowView implements JobRow {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly priority: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly args: JsonObject;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
  readonly attemptedBy: readonly string[];
  readonly errors: readonly AttemptError[];
  readonly createdAt: Temporal.Instant;
  readonly scheduledAt: Temporal.Instant;
  readonly attemptedAt: Temporal.Instant | null;
  readonly finalizedAt: Temporal.Instant | null;
  readonly uniqueKey: Uint8Array | null;
  readonly uniqueStates: readonly JobState[] | null;

  constructor(record: JobRecord, written: WrittenColumns) {
    this.id = record.id;
    this.kind = record.kind;
    this.queue = record.queue;
    this.state = COLUMNS.state(record, written);
    this.priority = record.priority;
    this.attempt = COLUMNS.attempt(record, written);
    this.maxAttempts = record.maxAttempts;
    this.args = COLUMNS.args(record, written);
    this.metadata = COLUMNS.metadata(record, written);
    this.tags = COLUMNS.tags(record, written);
    this.attemptedBy = COLUMNS.attemptedBy(record, written);
    this.errors = COLUMNS.errors(record, written);
    this.createdAt = record.createdAt;
    this.scheduledAt = COLUMNS.scheduledAt(record, written);
    this.attemptedAt = record.attemptedAt;
    this.finalizedAt = COLUMNS.finalizedAt(record, written);
    this.uniqueKey = record.uniqueKey;
    this.uniqueStates = COLUMNS.uniqueStates(record, written);
  }

  /** For `JSON.stringify`: the value of `jobToJsonValue`. */
  toJSON(): JobRowJson {
    return jobToJsonValue(this);
  }
}

class DecodedJobView<Args> implements DecodedJobRow<Args> {
  readonly id: bigint;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly priority: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly args: Args;
  readonly rawArgs: JsonObject;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
  readonly attemptedBy: readonly string[];
  readonly errors: readonly AttemptError[];
  readonly createdAt: Temporal.Instant;
  readonly scheduledAt: Temporal.Instant;
  readonly attemptedAt: Temporal.Instant | null;
  readonly finalizedAt: Temporal.Instant | null;
  readonly uniqueKey: Uint8Array | null;
  readonly uniqueStates: readonly JobState[] | null;

  constructor(row: JobRow, args: Args) {
    this.id = row.id;
    this.kind = row.kind;
    this.queue = row.queue;
    this.state = row.state;
    this.priority = row.priority;
    this.attempt = row.attempt;
    this.maxAttempts = row.maxAttempts;
    this.args = args;
    this.rawArgs = row.args;
    this.metadata = row.metadata;
    this.tags = row.tags;
    this.attemptedBy = row.attemptedBy;
    this.errors = row.errors;
    this.createdAt = row.createdAt;
    this.scheduledAt = row.scheduledAt;
    this.attemptedAt = row.attemptedAt;
    this.finalizedAt = row.finalizedAt;
    this.uniqueKey = row.uniqueKey;
    this.uniqueStates = row.uniqueStates;
  }

  /** For `JSON.stringify`: the value of `jobToJsonValue`. */
  toJSON(): JobRowJson {
    return jobToJsonValue(this);
  }
}

// `util.inspect` looks for this symbol; printed otherwise, times show nothing.
for (const view of [JobRowView, DecodedJobView]) {
  Object.defineProperty(view.prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: object, depth: number | null, options: InspectContext, inspect: typeof nodeInspect): string {
      return inspectJobRow(this, depth, options, inspect);
    },
  });
}

/** A row in which reading a damaged column throws what was wrong with it. */
function partlyReadableRow(record: JobRecord, written: WrittenColumns): JobRow {
  const row = Object.create(JobRowView.prototype) as JobRow;
  for (const [name, read] of Object.entries(COLUMNS))
    Object.defineProperty(
      row,
      name,
      lazyColumn(() => read(record, written)),
    );
  return Object.freeze(row);
}

const NO_ENTRIES: readonly never[] = Object.freeze([]);

function frozenCopy(entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? NO_ENTRIES : Object.freeze([...entries]);
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
