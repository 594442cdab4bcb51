/** Jobs as JSON, for logs, caches and other processes; `jobFromJsonValue` is the way back. */
import { describeValue } from "../json/describe-value.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { AttemptError } from "./attempt-error.ts";
import { ValidationError } from "./errors/validation-error.ts";
import type { JobRow } from "./job-row.ts";
import type { JobState } from "./job-state.ts";

/** An attempt error as JSON. */
export type AttemptErrorJson = {
  /** RFC 3339 in UTC, up to nine fractional digits. */
  readonly at: string;
  readonly attempt: number;
  readonly error: string;
  readonly trace: string;
};

/** A job as JSON. Times are RFC 3339 in UTC with up to nine fractional digits. */
export type JobRowJson = {
  /** Decimal digits. */
  readonly id: string;
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
  readonly errors: readonly AttemptErrorJson[];
  readonly createdAt: string;
  readonly scheduledAt: string;
  readonly attemptedAt: string | null;
  readonly finalizedAt: string | null;
  /** The 32 bytes in base64, standard alphabet with padding. */
  readonly uniqueKey: string | null;
  readonly uniqueStates: readonly JobState[] | null;
};

/**
 * A job as a JSON value that `stringifyJson` and `JSON.stringify` write without loss. Of a job whose arguments were
 * decoded, `args` are the persisted ones.
 *
 * @throws ValidationError for what is no job; the error of a damaged column that the job has.
 */
export function jobToJsonValue(job: JobRow | (JobRow<unknown> & { readonly rawArgs: JsonObject })): JobRowJson {
  requireJob(job);
  return {
    id: String(job.id),
    kind: job.kind,
    queue: job.queue,
    state: job.state,
    priority: job.priority,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    args: "rawArgs" in job ? job.rawArgs : job.args,
    metadata: job.metadata,
    tags: job.tags,
    attemptedBy: job.attemptedBy,
    errors: job.errors.map(attemptErrorToJson),
    createdAt: job.createdAt.toString(),
    scheduledAt: job.scheduledAt.toString(),
    attemptedAt: job.attemptedAt?.toString() ?? null,
    finalizedAt: job.finalizedAt?.toString() ?? null,
    uniqueKey: job.uniqueKey && Buffer.from(job.uniqueKey).toString("base64"),
    uniqueStates: job.uniqueStates,
  };
}

/** What is read of a job below, and would fail obscurely in anything else. */
function requireJob(job: unknown): void {
  if (typeof job !== "object" || job === null) throw notAJob("job", "an object", job);
  const row = job as Record<keyof JobRow, unknown>;
  for (const name of ["kind", "queue", "state"] as const) {
    if (typeof row[name] !== "string") throw notAJob(`job.${name}`, "text", row[name]);
  }
  for (const name of ["createdAt", "scheduledAt"] as const) {
    if (!(row[name] instanceof Temporal.Instant)) throw notAJob(`job.${name}`, "a Temporal.Instant", row[name]);
  }
  if (typeof row.id !== "bigint") throw notAJob("job.id", "a bigint", row.id);
  if (!Array.isArray(row.errors)) throw notAJob("job.errors", "an array", row.errors);
}

function notAJob(path: string, expected: string, found: unknown): ValidationError {
  return new ValidationError(`${path}: expected ${expected}, got ${describeValue(found)}`);
}

function attemptErrorToJson({ at, attempt, error, trace }: AttemptError): AttemptErrorJson {
  return { at: at.toString(), attempt, error, trace };
}
