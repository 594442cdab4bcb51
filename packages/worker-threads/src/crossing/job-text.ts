/** A job and its execution as one JSON text and back. Numbers in arguments and metadata keep every digit. */
import {
  type AttemptError,
  type JobRow,
  type JobState,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  type WorkContext,
  type WorkExecution,
} from "riverqueue";
import { encodePersisted } from "./encode-args.ts";

/** Columns of bounded size, in this order; IDs and times, in nanoseconds, as decimal text. */
type Columns = readonly [
  id: string,
  kind: string,
  queue: string,
  state: JobState,
  priority: number,
  attempt: number,
  maxAttempts: number,
  tags: readonly string[],
  attemptedBy: readonly string[],
  errors: readonly (Omit<AttemptError, "at"> & { readonly at: string })[],
  createdAt: string,
  scheduledAt: string,
  attemptedAt: string | null,
  finalizedAt: string | null,
  uniqueKey: string | null,
  uniqueStates: readonly JobState[] | null,
  client: string,
  startedAt: string,
];

/** What crosses. */
interface JobText {
  readonly columns: Columns;
  readonly rawArgs: JsonObject;
  readonly metadata: JsonObject;
  /** Absent when the arguments are the persisted ones, or cross by themselves. */
  readonly args?: JsonValue;
}

/** A job as its handler sees it, and where it runs. */
export interface DecodedJob {
  readonly job: JobRow<unknown> & { readonly rawArgs: JsonObject };
  readonly execution: WorkExecution;
}

/** @param args - JSON text of the decoded arguments; null when they cross otherwise. */
export function encodeJob({ job, execution }: WorkContext, args: string | null): string {
  const columns: Columns = [
    String(job.id),
    job.kind,
    job.queue,
    job.state,
    job.priority,
    job.attempt,
    job.maxAttempts,
    job.tags,
    job.attemptedBy,
    job.errors.map((error) => ({ ...error, at: encodeTime(error.at) })),
    encodeTime(job.createdAt),
    encodeTime(job.scheduledAt),
    job.attemptedAt && encodeTime(job.attemptedAt),
    job.finalizedAt && encodeTime(job.finalizedAt),
    job.uniqueKey && Buffer.from(job.uniqueKey).toString("base64"),
    job.uniqueStates,
    execution.attemptedBy,
    encodeTime(execution.startedAt),
  ];
  const rest = args === null ? "}" : `,"args":${args}}`;
  const [rawArgs, metadata] = [encodePersisted(job.rawArgs), encodePersisted(job.metadata)];
  return `{"columns":${JSON.stringify(columns)},"rawArgs":${rawArgs},"metadata":${metadata}${rest}`;
}

/** @param args - the decoded arguments that crossed by themselves. */
export function decodeJob(text: string, args: { readonly value: unknown } | null): DecodedJob {
  const { columns, rawArgs, metadata, args: own = rawArgs } = parseJsonObject(text) as unknown as JobText;
  const [id, kind, queue, state, priority, attempt, maxAttempts, tags, attemptedBy, errors, ...others] = columns;
  const [createdAt, scheduledAt, attemptedAt, finalizedAt, uniqueKey, uniqueStates, client, startedAt] = others;
  const job = Object.freeze({
    id: BigInt(id),
    kind,
    queue,
    state,
    priority,
    attempt,
    maxAttempts,
    args: args === null ? own : args.value,
    rawArgs,
    metadata,
    tags,
    attemptedBy,
    errors: errors.map((error) => ({ ...error, at: decodeTime(error.at) })),
    createdAt: decodeTime(createdAt),
    scheduledAt: decodeTime(scheduledAt),
    attemptedAt: attemptedAt === null ? null : decodeTime(attemptedAt),
    finalizedAt: finalizedAt === null ? null : decodeTime(finalizedAt),
    uniqueKey: uniqueKey === null ? null : new Uint8Array(Buffer.from(uniqueKey, "base64")),
    uniqueStates,
  });
  return { job, execution: Object.freeze({ attemptedBy: client, startedAt: decodeTime(startedAt) }) };
}

/** Several times as fast as RFC 3339. */
function encodeTime(time: Temporal.Instant): string {
  return String(time.epochNanoseconds);
}

function decodeTime(text: string): Temporal.Instant {
  return new Temporal.Instant(BigInt(text));
}
