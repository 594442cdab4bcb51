/** Values that job verbs take, and times. */
import type { JobRecord, JobToInsert, Settlement } from "riverqueue/driver";
import { isFinalizedState } from "riverqueue/driver";

/** Masks of unique states: the default one, that of every state, and the four states without which there is none. */
export const MASK = {
  default: 245,
  every: 255,
  required: 209,
  requiredAndCancelled: 211,
  requiredAndDiscarded: 217,
} as const;

/** An error entry as the core writes it. */
export const ERROR =
  '{"at":"2024-05-01T12:34:56.123456789Z","attempt":1,"error":"bo\\"om \\\\ \\u2028","trace":"a\\nb"}';

/** A job as the core hands it over. */
export function newJob(overrides: Partial<JobToInsert> = {}): JobToInsert {
  return {
    kind: "noop",
    queue: "default",
    state: "available",
    priority: 1,
    maxAttempts: 25,
    args: "{}",
    metadata: "{}",
    tags: [],
    scheduledAt: null,
    uniqueKey: null,
    uniqueStates: null,
    ...overrides,
  };
}

/** The unique options of a job; the key differs for each `seed`. */
export function unique(seed: number, uniqueStates: number): Pick<JobToInsert, "uniqueKey" | "uniqueStates"> {
  const uniqueKey = new Uint8Array(32).fill(7);
  new DataView(uniqueKey.buffer).setUint32(0, seed);
  return { uniqueKey, uniqueStates };
}

/** The end of the attempt that `job` was claimed for: completed now unless said otherwise. */
export function endOf(job: JobRecord, overrides: Partial<Settlement> = {}): Settlement {
  const state = overrides.state ?? "completed";
  return {
    id: job.id,
    attempt: job.attempt,
    clientId: job.attemptedBy.at(-1) ?? "",
    state,
    newAttempt: null,
    finalizedAt: isFinalizedState(state) ? fromNow(0) : null,
    scheduledAt: null,
    error: null,
    metadata: null,
    deleteRow: false,
    ...overrides,
  };
}

/** An instant some milliseconds from now, with no digits that a database would round. */
export function fromNow(milliseconds: number): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Date.now() + milliseconds);
}

/** A time in the past that is the same in every test. */
export function longAgo(): Temporal.Instant {
  return Temporal.Instant.from("2020-01-01T00:00:00Z");
}

/** All fields of a record, which may be getters that nobody has asked yet, as those of a plain object. */
export function fieldsOf(job: JobRecord): JobRecord {
  return {
    id: job.id,
    kind: job.kind,
    queue: job.queue,
    state: job.state,
    priority: job.priority,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    args: job.args,
    metadata: job.metadata,
    errors: job.errors,
    tags: job.tags,
    attemptedBy: job.attemptedBy,
    createdAt: job.createdAt,
    scheduledAt: job.scheduledAt,
    attemptedAt: job.attemptedAt,
    finalizedAt: job.finalizedAt,
    uniqueKey: job.uniqueKey,
    uniqueStates: job.uniqueStates,
  };
}

/** IDs in ascending order. */
export function ascending(ids: readonly bigint[]): bigint[] {
  return ids.toSorted((a, b) => (a < b ? -1 : 1));
}
